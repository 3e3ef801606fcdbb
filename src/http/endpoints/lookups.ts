/** Beside the lists: one trade by its id, the labels of all, a kept picture. */

import * as f from '../../journal/fields.ts';
import { labelsOf, labelsRecord, MAX_LABELS } from '../../journal/labels.ts';
import { shownPicture } from '../../journal/pictures.ts';
import { findTrade, tradeDetailRecord } from '../../journal/trade.ts';
import { top } from '../figure-parameters.ts';
import { NO_PARAMETERS } from '../parameter.ts';
import { notFound } from '../problem.ts';
import type { Endpoint } from '../route.ts';
import { PictureBytes } from '../table.ts';

export const singleTrade: Endpoint = {
  operationId: 'getTrade',
  tag: 'trades',
  summary: 'One trade',
  description:
    'One trade with its executions, its group and its journal entries. Without the scope journals:read the entries are null, and withheld names them.',
  parameters: () => NO_PARAMETERS,
  isLong: () => false,
  gives: { data: tradeDetailRecord, name: 'TradeDetail' },
  handle: ({ reader, user, pathId, key }) => {
    const trade = findTrade(reader, user, pathId, key.scopes.includes('journals:read'));
    // The same for an id that is unknown, malformed, or another user's.
    if (!trade) throw notFound('unknown trade id; /v1/trades lists them');
    return { data: trade };
  },
};

const LABEL_PARAMETERS = [
  { ...top, description: `Maximum labels of each kind, capped at ${MAX_LABELS}` },
];

export const labels: Endpoint = {
  operationId: 'getLabels',
  tag: 'trades',
  summary: 'The labels in use',
  description:
    'The accounts, symbols, underlyings, setups, tags and mistakes of the trades, and the emotions and rules of the journal entries: the values that filters take. Without the scope journals:read the last two are null, and withheld names them.',
  parameters: () => LABEL_PARAMETERS,
  isLong: () => true,
  gives: { data: labelsRecord, name: 'Labels' },
  handle({ reader, user, key, query }) {
    const most = Math.min(Number(query['top'] ?? MAX_LABELS), MAX_LABELS);
    return { data: labelsOf(reader, user, key.scopes, most) };
  },
};

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
