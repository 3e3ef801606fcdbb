/** Pictures that a test's journal keeps, without an import. */

import { KeptPictures } from '../../src/pictures/keeping.ts';
import { addressOf, pictureName } from '../../src/pictures/kept-pictures.ts';
import { cleanedPicture } from '../../src/pictures/picture.ts';
import type { World } from '../helpers.ts';

export interface Kept {
  name: string;
  url: string;
  /** The attachments of a record that shows it. */
  attachments: string;
}

/** Keeps a picture of a user, as line 1 of the list of imports. */
export function keepPicture(
  world: World,
  bytes: Uint8Array,
  user = 'me',
  caption = 'chart',
): Kept {
  const picture = cleanedPicture(bytes);
  const { sha256, type, width, height } = picture;
  KeptPictures.of(world.files.journal).keep(picture);
  world.db
    .prepare(
      `INSERT OR IGNORE INTO imports (user_id, id, imported_at, file, format, resource, rows, fills,
         records, trades) VALUES (?, 1, '2026-11-20T15:00:00.000Z', 'vault', 'markdown', 'days', 1, 0, 1, 0)`,
    )
    .run(user);
  world.insert('import_pictures', {
    ...{
      user_id: user,
      import_id: 1,
      path: '/vault/2026-11-20.md',
      written: `${sha256}.${type}`,
    },
    ...{ sha256, type, width, height, bytes: picture.bytes.length },
  });
  const url = addressOf(picture);
  const attachments = JSON.stringify([{ url, caption, width, height }]);
  return { name: pictureName(picture), url, attachments };
}
