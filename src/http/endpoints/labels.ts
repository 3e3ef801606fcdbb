/** The labels in use. */
import { labelsOf, labelsRecord, MAX_LABELS } from '../../journal/labels.ts';
import { top } from '../figure-parameters.ts';
import type { Endpoint } from '../route.ts';

const PARAMETERS = [{ ...top, description: `Maximum labels of each kind, capped at ${MAX_LABELS}` }];

export const labels: Endpoint = {
  operationId: 'getLabels',
  tag: 'trades',
  summary: 'The labels in use',
  description:
    'The accounts, symbols, underlyings, setups, tags and mistakes of the trades, and the emotions and rules of the journal entries: the values that filters take. Without the scope journals:read the last two are null, and withheld names them.',
  parameters: () => PARAMETERS,
  gives: { data: labelsRecord, name: 'Labels' },
  *handle({ reader, user, key, query }) {
    const most = Math.min(Number(query['top'] ?? MAX_LABELS), MAX_LABELS);
    return { data: yield* labelsOf(reader, user, key.scopes.includes('journals:read'), most) };
  },
};
