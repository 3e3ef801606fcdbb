/** A kept picture: what is known of it, or its bytes. */
import * as f from '../../journal/fields.ts';
import { shownPicture } from '../../journal/pictures.ts';
import { NO_PARAMETERS } from '../parameter.ts';
import { notFound } from '../problem.ts';
import type { Endpoint } from '../route.ts';
import { PictureBytes } from '../table.ts';

const attachmentRecord = f.record(() => ({
  name: f.ours('Name: the SHA-256 of its bytes, and its type'),
  type: f.ours('Media type, such as image/png'),
  width: f.count('Width in pixels'),
  height: f.count('Height in pixels'),
  bytes: f.count('Number of its bytes'),
  url: f.ours('Path of this service'),
}));

export const attachment: Endpoint = {
  operationId: 'getAttachment',
  tag: 'trade-journals',
  summary: 'A picture that the journal keeps',
  description:
    'A picture from attachments of trades, entries, sessions and reviews, if a record that the key reads shows it: its size as JSON, or its bytes if Accept prefers images. Keys that hide money, texts or symbols, and keys limited to accounts for pictures of sessions and reviews, have none. 600 requests a minute, beside those of other paths.',
  id: { description: 'Name of the picture', example: `${'0'.repeat(64)}.png` },
  parameters: () => NO_PARAMETERS,
  isLong: () => false,
  gives: { data: attachmentRecord, name: 'Attachment' },
  isPicture: true,
  handle({ reader, user, pathId, key, form, pictures }) {
    const found = shownPicture(reader, user.id, pathId, key.scopes);
    const bytes = found && pictures.read(found.name);
    // The same for one that is unknown, hidden, another user's, or missing in the folder.
    if (!bytes) throw notFound('unknown picture; attachments of records name them');
    return form === 'image' ? new PictureBytes(bytes, found.type) : { data: found };
  },
};
