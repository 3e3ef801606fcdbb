import * as z from 'zod';
import type { Scope } from '../../keys/scopes.ts';
import { type Api, type Me, type Query, ToolError } from '../api.ts';
import { startAndEnd } from '../arguments.ts';
import { allVisible, compact, type Row, table, uncut } from '../compact.ts';
import { fitted, page } from '../fit.ts';
import { countedBy, dates, detail, tool, unit, words } from '../tool.ts';
import { idInOtherCase, noteMatchesOf, resultsOf } from '../trade-lists.ts';

interface Kind {
  path: string;
  scope: Scope;
  /** Its filters, among those that not all kinds have. */
  takes: readonly string[];
}

const ENTRY_FILTERS = ['tag', 'mistake', 'emotion', 'phase', 'followed_plan'];

const KINDS: Record<string, Kind> = {
  journals: {
    path: '/v1/journal-rows',
    scope: 'journals:read',
    takes: ['symbol', 'trade_id', ...ENTRY_FILTERS],
  },
  sessions: { path: '/v1/sessions', scope: 'sessions:read', takes: ['tag'] },
  reviews: { path: '/v1/weekly-reviews', scope: 'reviews:read', takes: [] },
  missed_trades: {
    path: '/v1/missed-trades',
    scope: 'missed_trades:read',
    takes: ['symbol', 'tag', 'emotion'],
  },
};

export const NOTE_SCOPES = Object.values(KINDS).map(({ scope }) => scope);

const FULL_ONLY = new Set(['updated_at', 'attachments']);

const FEW = 5;
/** Notes of each kind, without a kind. */
const FEW_OF_EACH = 3;

export const readNotes = tool({
  name: 'read_notes',
  title: 'Read notes',
  description:
    "The trader's notes, newest first: journal entries, sessions, weekly reviews, missed trades; without kind, all of them.",
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
      unit,
      limit: z
        .int()
        .min(1)
        .max(50)
        .optional()
        .describe(`of each kind; default ${FEW}, without kind ${FEW_OF_EACH}`),
      cursor: z.string().optional(),
      detail,
    }),
  output: {
    type: 'object',
    properties: { notes: { type: ['object', 'array'] }, next_cursor: { type: 'string' } },
  },
  async call(
    { kind, period, start, end, limit, detail, q, cursor, unit: asked, ...labels },
    api,
  ) {
    const { unit, counts } = await countedBy(asked, api);
    const trade_id =
      labels.trade_id && ((await idInOtherCase(labels.trade_id, api)) ?? labels.trade_id);
    const query = {
      ...(await startAndEnd({ period, start, end }, api)),
      q,
      ...labels,
      trade_id,
    };
    const named = Object.entries(labels).flatMap(([name, value]) =>
      value === undefined ? [] : [name],
    );
    if (kind === undefined) {
      if (cursor !== undefined)
        throw new ToolError(
          'a cursor needs its kind; send the same kind again, such as journals',
        );
      const all = { ...query, limit: limit ?? FEW_OF_EACH };
      return {
        ...counts,
        ...(await ofAllKinds(api, named, all, unit, detail === 'full')),
      };
    }

    const { takes } = KINDS[kind] as Kind;
    const unknown = named.find((name) => !takes.includes(name));
    if (unknown !== undefined) {
      throw new ToolError(
        `${kind} have no filter ${unknown}; filters: ${takes.join(', ') || 'none'}`,
      );
    }

    const path = pathOf(kind, query);
    const found = await noteMatchesOf(path, { ...query, fields: noted(path) }, unit, api);
    const matches = compact(found, { timeZone: 'UTC', text: 20, rows: 1 });
    const answer = await page(api, {
      path,
      query: { ...query, cursor },
      limit: limit ?? FEW,
      full: detail === 'full',
      name: 'notes',
      row: withoutIncidentals,
      completed: (records) => withResults(records, unit, api),
    });

    const hint =
      answer.hint ?? (kind === 'journals' ? await figuresHint(q, api) : undefined);
    return {
      ...(hint !== undefined && { hint }),
      ...counts,
      ...answer,
      matches,
      ...shownOf(answer['notes'], found),
    };
  },
});

async function figuresOf({ q }: Query, api: Api): Promise<{ hint?: string }> {
  const hint = await figuresHint(q as string | undefined, api);
  return hint === undefined ? {} : { hint };
}

/** A search of entries finds their trades' figures, too. */
async function figuresHint(q: string | undefined, api: Api): Promise<string | undefined> {
  if (q === undefined || !(await api.me()).key.scopes.includes('analytics:read'))
    return undefined;
  return 'analyze_performance with text in place of q has the figures of trades with these words';
}

/** How many of the matching notes the answer has, if not all. */
function shownOf(notes: unknown, { notes: all = 0 }: Row): { shown?: string } {
  const rows = Array.isArray(notes) ? notes : (notes as { rows: unknown[] }).rows;
  return rows.length === all ? {} : { shown: `${rows.length} of ${all}` };
}

/** Only the list of trade journals filters by trade. */
function pathOf(kind: string, { trade_id }: Query): string {
  return kind === 'journals' && trade_id !== undefined
    ? '/v1/trade-journals'
    : (KINDS[kind] as Kind).path;
}

interface Found {
  kind: string;
  records: Row[];
  hint: string | undefined;
  hasMore: boolean;
  matches: number;
}

/** The latest notes of each readable kind that has all the filters. */
async function ofAllKinds(
  api: Api,
  named: readonly string[],
  query: Query,
  unit: Me['unit'],
  full: boolean,
): Promise<object> {
  const { key, user } = await api.me();
  const kinds = kindsFor(key.scopes).filter((kind) =>
    named.every((name) => KINDS[kind]?.takes.includes(name)),
  );
  if (kinds.length === 0)
    throw new ToolError(
      `no kind of notes that this key can read has ${named.join(' and ')}; remove a filter`,
    );

  const found = await Promise.all(
    kinds.map((kind) => latest(api, kind, query, unit, full)),
  );
  const withAny = found.filter(({ records }) => records.length > 0);
  const hasMore = found.filter(({ hasMore }) => hasMore).map(({ kind }) => kind);
  const hints = found.flatMap(({ hint }) => hint ?? []);
  const more = {
    ...(withAny.some(({ kind }) => kind === 'journals') && (await figuresOf(query, api))),
    looked_through: kinds,
    matches: Object.fromEntries(withAny.map(({ kind, matches }) => [kind, matches])),
    ...(hasMore.length > 0 && { more_of: hasMore }),
    ...(withAny.length === 0 &&
      hints.length > 0 && { hint: allVisible(hints.join(' ')) }),
  };
  if (full)
    return {
      ...uncut(Object.fromEntries(withAny.map(({ kind, records }) => [kind, records]))),
      ...more,
    };

  const shown = (most: number) =>
    fitted(user.timezone, (how) => ({
      timezone: user.timezone,
      ...Object.fromEntries(
        withAny.map(({ kind, records }) => [
          kind,
          table(records.map(withoutIncidentals), how, most),
        ]),
      ),
      ...more,
    }));

  for (let most = query['limit'] as number; most > 0; most = Math.floor(most / 2)) {
    const answer = shown(most);
    if (answer) return answer;
  }

  return { hint: 'even one note of each kind is too long; send a kind', ...more };
}

async function latest(
  api: Api,
  kind: string,
  query: Query,
  unit: Me['unit'],
  full: boolean,
): Promise<Found> {
  const { data, pagination, hint } = await api.get<{
    data: Row[];
    pagination: { has_more: boolean };
    hint?: string;
  }>(pathOf(kind, query), query);
  const records = full ? data : await withResults(data, unit, api);
  const { limit: _, ...matching } = query;
  const { notes } = await noteMatchesOf(
    pathOf(kind, query),
    { ...matching, fields: 'id' },
    unit,
    api,
  );

  return { kind, records, hint, hasMore: pagination.has_more, matches: notes as number };
}

/** What the notes of a list may be about. */
function noted(path: string): string {
  if (path === '/v1/journal-rows') return 'trade_id,group_id';
  return path === '/v1/trade-journals' ? 'trade_id' : 'id';
}

/** Adds the results of their trades to journal entries, if the key can read trades. */
async function withResults(records: Row[], unit: Me['unit'], api: Api): Promise<Row[]> {
  const resultOf = await resultsOf(records, unit, api);
  return records.map((record) => {
    const { net_pnl = null, currency = null } = resultOf(record) ?? {};
    return net_pnl === null ? record : { ...record, net_pnl, currency };
  });
}

function kindsFor(scopes: readonly Scope[]): [string, ...string[]] {
  const kinds = Object.keys(KINDS).filter((kind) =>
    scopes.includes((KINDS[kind] as Kind).scope),
  );
  // Without a valid key all kinds, so that a call reports the problem.
  return (kinds.length === 0 ? Object.keys(KINDS) : kinds) as [string, ...string[]];
}

/**
 * Removes incidental fields: a session, review or missed trade has a date, so its time of
 * creation matters little.
 */
function withoutIncidentals(record: Row): Row {
  const isDated = ['date', 'period_start', 'missed_at'].some((name) => name in record);
  return Object.fromEntries(
    Object.entries(record).filter(
      ([name]) => !FULL_ONLY.has(name) && !(isDated && name === 'created_at'),
    ),
  );
}
