/** Pictures that a command attaches to trades. */
import { requireNoKeyShows } from '../import/steps/first-shown.ts';
import type { TargetOptions } from '../import/write/target-journal.ts';
import type { Attachment } from '../notes/note-pictures.ts';
import { KeptPictures } from '../pictures/keeping.ts';
import { addressOf } from '../pictures/kept-pictures.ts';
import type { Picture } from '../pictures/picture.ts';
import type { Edit } from './edit.ts';

export interface AttachedPicture extends Picture {
  /** The name of its file. */
  file: string;
}

export function attachmentOf(picture: AttachedPicture): Attachment {
  const { width, height, file } = picture;
  const caption = file.replace(/\.\w{1,5}$/, '').replaceAll(/[\][]/g, '');
  return { url: addressOf(picture), caption: caption || null, width, height };
}

/**
 * Keeps pictures that a command's line states.
 * @param mayShow whether keys may show the first picture of the journal
 * @throws KeysShowPictures; UserError if one can't be written
 */
export function keepAttached(
  { imports, importId, user }: Edit,
  pictures: readonly AttachedPicture[],
  { journal, keys, now, dryRun, mayShow }: TargetOptions & { mayShow: boolean },
): void {
  if (pictures.length === 0) return;
  if (!imports.pictures.areThere && !dryRun && !mayShow)
    requireNoKeyShows(user, keys, now);

  const folder = KeptPictures.of(journal);
  const added = pictures.filter((picture) => !imports.pictures.find(picture));
  if (!dryRun)
    folder.requireRoom(added.reduce((sum, { bytes }) => sum + bytes.length, 0));

  for (const { sha256, type, width, height, bytes, file } of pictures) {
    const size = bytes.length;
    const stated = { path: '', written: file, sha256, type, width, height, bytes: size };
    imports.pictures.state(importId, stated);
    if (!dryRun) folder.keep({ sha256, type, bytes });
  }
}
