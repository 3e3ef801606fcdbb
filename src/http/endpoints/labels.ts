/** The labels in use. */
import { labelsOf, labelsRecord } from '../../journal/labels.ts';
import type { Endpoint } from '../route.ts';

export const labels: Endpoint = {
  operationId: 'getLabels',
  tag: 'trades',
  summary: 'The labels in use',
  description:
    'The accounts, symbols, underlyings, setups, tags and mistakes of the trades, and the emotions and rules of the journal entries: what filters can be given. Without the scope journals:read the last two are null, and withheld says so.',
  parameters: [],
  gives: { data: labelsRecord, name: 'Labels' },
  *handle({ reader, user, key }) {
    return { data: yield* labelsOf(reader, user, key.scopes.includes('journals:read')) };
  },
};
