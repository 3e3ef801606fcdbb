import * as z from 'zod';
import type { Scope } from '../../keys/scopes.ts';
import { type Api, type Query, ToolError } from '../api.ts';
import { allVisible, type Row, table, uncut } from '../compact.ts';
import { startAndEnd } from '../dates.ts';
import { fittedOrError } from '../fit.ts';
import { page } from '../page.ts';
import { dates, detail, tool, words } from '../tool.ts';

interface Kind {
  path: string;
  scope: Scope;
  /** Which of the arguments that not all kinds have this one takes. */
  takes: readonly string[];
}

const OF_ENTRIES = ['tag', 'mistake', 'emotion', 'phase', 'followed_plan'];

const KINDS: Record<string, Kind> = {
  journals: { path: '/v1/journal-rows', scope: 'journals:read', takes: ['symbol', 'trade_id', ...OF_ENTRIES] },
  sessions: { path: '/v1/sessions', scope: 'sessions:read', takes: ['tag'] },
  reviews: { path: '/v1/weekly-reviews', scope: 'reviews:read', takes: [] },
  missed_trades: { path: '/v1/missed-trades', scope: 'missed_trades:read', takes: ['symbol', 'tag'] },
};

export const NOTE_SCOPES = Object.values(KINDS).map(({ scope }) => scope);

/** Shown in full records only. */
const LEFT_OUT = new Set(['updated_at', 'attachments']);

const FEW = 5;
/** Of each kind, if all are looked through. */
const FEW_OF_EACH = 3;

export const readNotes = tool({
  name: 'read_notes',
  title: 'Read notes',
  description:
    'What the trader wrote, newest first: journal entries, sessions, weekly reviews, missed trades; without kind, all of them.',
  scopes: NOTE_SCOPES,
  input: (scopes) =>
    z.strictObject({
      kind: z.enum(kindsFor(scopes)).optional(),
      ...dates,
      q: words.describe('all words, or "a phrase"'),
      symbol: words,
      tag: words,
      mistake: words,
      emotion: words,
      phase: z.enum(['pre_trade', 'during', 'post_trade', 'review']).optional(),
      followed_plan: z.boolean().optional(),
      trade_id: words,
      limit: z.int().min(1).max(20).optional().describe(`of each kind; default ${FEW}, without kind ${FEW_OF_EACH}`),
      cursor: z.string().optional(),
      detail,
    }),
  output: {
    type: 'object',
    properties: { notes: { type: ['object', 'array'] }, next_cursor: { type: 'string' } },
  },
  async call({ kind, period, start, end, limit, detail, q, cursor, ...labels }, api) {
    const query = { ...(await startAndEnd({ period, start, end }, api)), q, ...labels };
    const named = Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (kind === undefined) {
      if (cursor !== undefined)
        throw new ToolError('a cursor goes with the kind that it was given for; send kind, too');
      return ofAllKinds(api, named, { ...query, limit: limit ?? FEW_OF_EACH }, detail === 'full');
    }
    const { takes } = KINDS[kind] as Kind;
    const unknown = named.find((name) => !takes.includes(name));
    if (unknown !== undefined) {
      throw new ToolError(`${kind} have no ${unknown}; of such filters they take ${takes.join(', ') || 'none'}`);
    }
    return page(api, {
      path: pathOf(kind, query),
      query: { ...query, cursor },
      limit: limit ?? FEW,
      full: detail === 'full',
      name: 'notes',
      row: withoutIncidentals,
      completed: (records) => withResults(records, api),
    });
  },
});

/** Only the lists of their own find entries by their trade. */
function pathOf(kind: string, { trade_id }: Query): string {
  return kind === 'journals' && trade_id !== undefined ? '/v1/trade-journals' : (KINDS[kind] as Kind).path;
}

interface Found {
  kind: string;
  records: Row[];
  hint: string | undefined;
  hasMore: boolean;
}

/** The latest of each kind that the key can read and that has what is filtered by. */
async function ofAllKinds(api: Api, named: readonly string[], query: Query, full: boolean): Promise<object> {
  const { key, user } = await api.me();
  const kinds = kindsFor(key.scopes).filter((kind) => named.every((name) => KINDS[kind]?.takes.includes(name)));
  if (kinds.length === 0) throw new ToolError(`no kind of notes that this key can read has ${named.join(' and ')}`);
  const found = await Promise.all(kinds.map((kind) => latest(api, kind, query, full)));
  const withAny = found.filter(({ records }) => records.length > 0);
  const hasMore = found.filter(({ hasMore }) => hasMore).map(({ kind }) => kind);
  const hints = found.flatMap(({ hint }) => hint ?? []);
  const more = {
    looked_through: kinds,
    ...(hasMore.length > 0 && { more_of: hasMore }),
    ...(withAny.length === 0 && hints.length > 0 && { hint: allVisible(hints.join(' ')) }),
  };
  if (full) return { ...uncut(Object.fromEntries(withAny.map(({ kind, records }) => [kind, records]))), ...more };
  return fittedOrError(user.timezone, (how) => ({
    timezone: user.timezone,
    ...Object.fromEntries(
      withAny.map(({ kind, records }) => [kind, table(records.map(withoutIncidentals), how, records.length)]),
    ),
    ...more,
  }));
}

async function latest(api: Api, kind: string, query: Query, full: boolean): Promise<Found> {
  const { data, pagination, hint } = (await api.get(pathOf(kind, query), query)) as {
    data: Row[];
    pagination: { has_more: boolean };
    hint?: string;
  };
  const records = full ? data : await withResults(data, api);
  return { kind, records, hint, hasMore: pagination.has_more };
}

/** Journal entries next to what their trades made, if the key may see trades; a trade that it can't read adds nothing. */
async function withResults(records: Row[], api: Api): Promise<Row[]> {
  const ids = [...new Set(records.flatMap(({ trade_id }) => (typeof trade_id === 'string' ? [trade_id] : [])))];
  if (ids.length === 0 || !(await api.me()).key.scopes.includes('trades:read')) return records;
  const results = new Map<unknown, Row>();
  for (const id of ids) {
    const trade = await api.dataIfAny(`/v1/trades/${encodeURIComponent(id)}`);
    if (trade) results.set(id, { net_pnl: trade['net_pnl'] ?? null, currency: trade['currency'] ?? null });
  }
  return records.map((record) => ({ ...record, ...results.get(record['trade_id']) }));
}

function kindsFor(scopes: readonly Scope[]): [string, ...string[]] {
  const kinds = Object.keys(KINDS).filter((kind) => scopes.includes((KINDS[kind] as Kind).scope));
  // If nothing is known of the key: all, so that a call explains.
  return (kinds.length === 0 ? Object.keys(KINDS) : kinds) as [string, ...string[]];
}

/** When a session, a review or a missed trade was written down says little: it has a date of its own. */
function withoutIncidentals(record: Row): Row {
  const isDated = ['date', 'period_start', 'missed_at'].some((name) => name in record);
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => !LEFT_OUT.has(name) && !(isDated && name === 'created_at')),
  );
}
