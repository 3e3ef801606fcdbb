import * as z from 'zod';
import type { Scope } from '../../keys/scopes.ts';
import { ToolError } from '../api.ts';
import type { Row } from '../compact.ts';
import { startAndEnd } from '../dates.ts';
import { page } from '../page.ts';
import { detail, lengthOrName, limit, tool, words } from '../tool.ts';

interface Kind {
  path: string;
  scope: Scope;
  /** Which of the arguments that not all kinds have this one takes. */
  takes: readonly string[];
}

const KINDS: Record<string, Kind> = {
  journals: { path: '/v1/journal-rows', scope: 'journals:read', takes: ['symbol', 'tag', 'mistake'] },
  sessions: { path: '/v1/sessions', scope: 'sessions:read', takes: ['tag'] },
  reviews: { path: '/v1/weekly-reviews', scope: 'reviews:read', takes: [] },
  missed_trades: { path: '/v1/missed-trades', scope: 'missed_trades:read', takes: ['symbol', 'tag'] },
};

export const NOTE_SCOPES = Object.values(KINDS).map(({ scope }) => scope);

/** Told in full records only. */
const LEFT_OUT = new Set(['updated_at', 'attachments']);

export const readNotes = tool({
  name: 'read_notes',
  title: 'Read notes',
  description: 'What the trader wrote, newest first: journal entries, sessions, weekly reviews, missed trades.',
  scopes: NOTE_SCOPES,
  input: (scopes) =>
    z.strictObject({
      kind: z.enum(kindsFor(scopes)),
      period: lengthOrName,
      symbol: words,
      q: words.describe('all words, or "a phrase"'),
      tag: words,
      mistake: words,
      limit: limit(5, 20),
      cursor: z.string().optional(),
      detail,
    }),
  output: {
    type: 'object',
    properties: { notes: { type: ['object', 'array'] }, next_cursor: { type: 'string' } },
    required: ['notes'],
  },
  async call({ kind, period, limit, detail, q, cursor, ...labels }, api) {
    const { path, takes } = KINDS[kind] as Kind;
    for (const [name, value] of Object.entries(labels)) {
      if (value === undefined || takes.includes(name)) continue;
      throw new ToolError(
        `${kind} have no ${name}; of symbol, tag and mistake they take ${takes.join(', ') || 'none'}`,
      );
    }
    return page(api, {
      path,
      query: { ...(await startAndEnd({ period }, api)), q, cursor, ...labels },
      limit,
      full: detail === 'full',
      name: 'notes',
      row: withoutIncidentals,
    });
  },
});

function kindsFor(scopes: readonly Scope[]): [string, ...string[]] {
  const kinds = Object.keys(KINDS).filter((kind) => scopes.includes((KINDS[kind] as Kind).scope));
  // Where nothing is known of the key: all, so that a call explains.
  return (kinds.length === 0 ? Object.keys(KINDS) : kinds) as [string, ...string[]];
}

/** When a session, a review or a missed trade was written down says little: it has a date of its own. */
function withoutIncidentals(record: Row): Row {
  const isDated = record['type'] === undefined;
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => !LEFT_OUT.has(name) && !(isDated && name === 'created_at')),
  );
}
