/**
 * Facts about the trades of a list: their number and result, their notes, the risk of
 * open ones.
 */

import { foldCase } from '../sqlite/functions.ts';
import { BY_ACCOUNT, mayMix, mixed } from './accounts.ts';
import type { Api, Me, Query } from './api.ts';
import { type ListedRow, type Row, rowOf, rowsOf } from './compact.ts';
import { closedTrades, withoutRate } from './tool.ts';

/** Records per request, and most records counted one by one. */
const PAGE = 100;
const MOST_COUNTED = 1000;

interface Page<T> {
  data: T[];
  pagination: { next_cursor: string | null };
}

/** Every record of a list, page by page; stops after a number. */
async function* everyRecord<T = Row>(
  path: string,
  query: Query,
  api: Api,
): AsyncGenerator<T> {
  let cursor: string | null = null;
  // A page of long records is shorter than its limit.
  for (let left = MOST_COUNTED; left > 0; ) {
    const limit = Math.min(PAGE, left);
    const { data, pagination }: Page<T> = await api.get(path, {
      ...query,
      limit,
      cursor: cursor ?? undefined,
    });
    yield* data;
    left -= data.length;
    cursor = pagination.next_cursor;
    if (cursor === null) return;
  }
}

/** How many trades match and their net P&L, and the accounts that they mix. */
interface Matches {
  matches: Row;
  accounts?: Row;
  hint?: string;
}

/**
 * By figures, or one by one for a search for words.
 * @param filters of /v1/trades and /v1/positions
 */
export async function matchesOf(
  filters: Query,
  unit: Me['unit'],
  api: Api,
): Promise<Matches> {
  const { key } = await api.me();
  const { q, status, date_field: _, ...others } = filters;
  if (q !== undefined || status === 'open' || !key.scopes.includes('analytics:read'))
    return counted(filters, unit, api);

  const isMixed = await mayMix(filters, api);
  const { performance, open, data_quality, groups } = await api.data(
    '/v1/analytics/summary',
    {
      ...others,
      unit,
      ...(isMixed && BY_ACCOUNT),
      sections: 'performance,open,data_quality',
    },
  );
  const { trades = 0, net_pnl = null } = rowOf(performance);
  const findsClosed =
    status === 'closed' ||
    ['start', 'end', 'where'].some((name) => others[name] !== undefined);
  const openTrades = findsClosed ? 0 : (rowOf(open)['trades'] ?? 0);

  return {
    matches: {
      trades: closedTrades(rowOf(performance), data_quality),
      ...(trades !== 0 && (await inBase(net_pnl, api))),
      ...(openTrades !== 0 && { open: openTrades }),
      ...withoutRate(data_quality),
    },
    ...mixed(rowsOf(groups)),
  };
}

/** Net P&L in the base currency, unless the key hides it. */
async function inBase(net_pnl: Row[string], api: Api): Promise<Row> {
  return { net_pnl, currency: (await api.me()).user.base_currency };
}

/** The list of what a unit counts. */
const PATHS = { trade: '/v1/trades', position: '/v1/positions' } as const;

async function counted(filters: Query, unit: Me['unit'], api: Api): Promise<Matches> {
  const hidesMoney = await api.hidesMoney();
  const fields = hidesMoney ? 'account' : 'account,net_pnl_base';
  const byAccount = new Map<string, Row>();
  let [trades, net, withoutRate] = [0, 0, 0];

  for await (const record of everyRecord(PATHS[unit], { ...filters, fields }, api)) {
    const { account = null, net_pnl_base = null } = record;
    trades++;
    if (net_pnl_base === null) withoutRate++;
    else net += Number(net_pnl_base);

    const name = foldCase(String(account));
    const row = byAccount.get(name) ?? {
      by: { account },
      trades: 0,
      net_pnl: hidesMoney ? null : 0,
    };
    row['trades'] = Number(row['trades']) + 1;
    if (net_pnl_base !== null)
      row['net_pnl'] = Number(row['net_pnl']) + Number(net_pnl_base);
    byAccount.set(name, row);
  }

  const isMore = trades === MOST_COUNTED;
  const hasNet = !hidesMoney && !isMore && trades > withoutRate;

  return {
    matches: {
      trades,
      ...(isMore && { at_least: true }),
      ...(hasNet && (await inBase(net, api))),
      ...(!hidesMoney && withoutRate > 0 && { without_rate: withoutRate }),
    },
    ...(!isMore && mixed([...byAccount.values()])),
  };
}

/**
 * The id of a trade or group that differs from a text only in letter case, among the
 * newest; undefined if none, or if a trade has the text itself.
 */
export async function idInOtherCase(text: string, api: Api): Promise<string | undefined> {
  if (!(await api.me()).key.scopes.includes('trades:read')) return undefined;

  const same = await api.dataIfAny<Row[]>('/v1/trades', { id: text, fields: 'id' });
  if (same && same.length > 0) return undefined;

  const wanted = text.toLowerCase();
  for (const path of ['/v1/trades', '/v1/trade-groups']) {
    for await (const { id } of everyRecord<{ id: string }>(path, { fields: 'id' }, api)) {
      if (id.toLowerCase() === wanted) return id === text ? undefined : id;
    }
  }

  return undefined;
}

/**
 * The risk of all matching open trades: the total in the base currency, and by currency
 * what has no exchange rate to it.
 */
export async function openRisk(filters: Query, unit: Me['unit'], api: Api): Promise<Row> {
  const { base_currency } = (await api.me()).user;
  let [total, without] = [0, 0];
  const unrated = new Map<string, number>();
  // Legs of a group may have several rates.
  const fields = unit === 'trade' ? 'risk,currency,fx_rate' : 'risk,currency';
  const query = { ...filters, status: 'open', fields };

  for await (const trade of everyRecord(PATHS[unit], query, api)) {
    const currency = String(trade['currency']);
    const rate = currency === base_currency ? 1 : (trade['fx_rate'] ?? null);
    const risk = trade['risk'] == null ? null : Number(trade['risk']);
    if (risk === null) without++;
    else if (rate === null) unrated.set(currency, (unrated.get(currency) ?? 0) + risk);
    else total += risk * Number(rate);
  }

  return {
    total_open_risk: total,
    currency: base_currency,
    ...(unrated.size > 0 && { risk_without_rate: Object.fromEntries(unrated) }),
    ...(without > 0 && { without_risk: without }),
  };
}

/** What notes are about. */
export interface Noted {
  trade_id?: unknown;
  group_id?: unknown;
}

/**
 * Net P&L, also in the base currency, of the trades and groups that notes are about, as
 * far as the key can read them.
 * @param unit position: a note about a leg is about its group
 */
export async function resultsOf(
  notes: readonly Noted[],
  unit: Me['unit'],
  api: Api,
): Promise<(note: Noted) => Row | undefined> {
  if (!(await api.me()).key.scopes.includes('trades:read')) return () => undefined;

  const idsIn = (name: keyof Noted) =>
    notes.flatMap(({ [name]: id }) => (typeof id === 'string' ? [id] : []));
  const trades = await recordsOf(
    '/v1/trades',
    idsIn('trade_id'),
    `${RESULT},group_id`,
    api,
  );
  const groupOf = ({ group_id }: Row) =>
    unit === 'position' && typeof group_id === 'string' ? group_id : undefined;
  const ofLegs = [...trades.values()].flatMap((trade) => groupOf(trade) ?? []);
  const named = [...idsIn('group_id'), ...ofLegs];
  const groups = await recordsOf('/v1/positions', named, `${RESULT},kind`, api);

  return ({ trade_id, group_id }) => {
    const trade = trades.get(trade_id as string);
    if (trade && groupOf(trade) === undefined) return trade;
    return groups.get((trade?.['group_id'] ?? group_id) as string);
  };
}

const RESULT = 'net_pnl,currency,net_pnl_base';

/** Records by their ids; of positions the groups. */
async function recordsOf(path: string, ids: readonly string[], fields: string, api: Api) {
  const found = new Map<string, Row>();
  const all = [...new Set(ids)];
  for (let from = 0; from < all.length; from += PAGE) {
    const query = { id: all.slice(from, from + PAGE).join(','), fields };
    for await (const record of everyRecord<ListedRow>(path, query, api))
      if (record['kind'] !== 'trade') found.set(record.id, record);
  }
  return found;
}

/** How many notes match, and the net P&L of the trades that they are about. */
export async function noteMatchesOf(
  path: string,
  query: Query,
  unit: Me['unit'],
  api: Api,
): Promise<Row> {
  const notes: Noted[] = [];
  for await (const note of everyRecord<Noted>(path, query, api)) notes.push(note);

  const resultOf = await resultsOf(notes, unit, api);
  const found = notes.map(resultOf).filter((result) => result !== undefined);
  const results = [...new Set(found)];
  const nets = results.flatMap(({ net_pnl_base }) =>
    typeof net_pnl_base === 'number' ? [net_pnl_base] : [],
  );
  const { base_currency } = (await api.me()).user;

  return {
    notes: notes.length,
    ...(notes.length === MOST_COUNTED && { at_least: true }),
    ...(results.length > 0 && { trades: results.length }),
    ...(nets.length > 0 && {
      net_pnl: nets.reduce((sum, net) => sum + net),
      currency: base_currency,
    }),
    ...(nets.length < results.length &&
      nets.length > 0 && { without_rate: results.length - nets.length }),
  };
}

interface Entry {
  phase: string | null;
  body?: string | null;
}

interface Position {
  id: string;
  kind: string;
}

/**
 * The text of each trade's post_trade entry by the trade's id, null for other entries;
 * empty if the key can't read entries.
 */
export async function entriesOf(
  ids: readonly string[],
  api: Api,
): Promise<ReadonlyMap<string, string | null>> {
  const texts = new Map<string, string | null>();
  if (ids.length === 0 || !(await api.me()).key.scopes.includes('journals:read'))
    return texts;

  const query = { trade_id: ids.join(','), fields: 'trade_id,phase,body' };
  const entries = everyRecord<Entry & { trade_id: string }>(
    '/v1/trade-journals',
    query,
    api,
  );
  for await (const { trade_id, phase, body = null } of entries) {
    const text = phase === 'post_trade' ? body : null;
    texts.set(trade_id, texts.get(trade_id) ?? text);
  }

  return texts;
}

/**
 * Of groups that the trader wrote about, or about a leg of them: the text of the group's
 * post_trade entry, null without one.
 * @param withTexts false: all are null
 */
export async function groupTexts(
  ids: readonly string[],
  withTexts: boolean,
  api: Api,
): Promise<ReadonlyMap<string, string | null>> {
  const texts = new Map<string, string | null>();
  if (ids.length === 0 || !(await api.me()).key.scopes.includes('journals:read'))
    return texts;

  const noted = { id: ids.join(','), has_journal: true, fields: 'kind' };
  for await (const { id, kind } of everyRecord<Position>('/v1/positions', noted, api))
    if (kind !== 'trade') texts.set(id, null);

  for (const group_id of withTexts ? texts.keys() : []) {
    const query = { group_id, fields: 'phase,body' };
    const entries = everyRecord<Entry>('/v1/group-journals', query, api);
    for await (const { phase, body = null } of entries)
      if (phase === 'post_trade') texts.set(group_id, texts.get(group_id) ?? body);
  }

  return texts;
}
