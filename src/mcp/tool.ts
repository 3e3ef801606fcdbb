/** The shape of a tool, and arguments and hints that several tools share. */
import * as z from 'zod';
import { visibleText } from '../http/visible-text.ts';
import { MARKETS, OUTCOMES, UNITS } from '../journal/resource.ts';
import { POSITION_SIDES } from '../journal/resources/positions.ts';
import type { Scope } from '../keys/scopes.ts';
import { foldCase } from '../sqlite/functions.ts';
import type { Api, Me, Query } from './api.ts';
import { type Row, rowOf } from './compact.ts';

type JsonSchema = Record<string, unknown>;

/** An answer with pictures, which clients show to their model beside it. */
export class WithImages {
  readonly answer: object;
  readonly images: readonly Image[];

  constructor(answer: object, images: readonly Image[]) {
    this.answer = answer;
    this.images = images;
  }
}

export interface Image {
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** A key needs at least one of these. */
  scopes: readonly Scope[];
  /** @param scopes of the key, because they may restrict the choices */
  input: (scopes: readonly Scope[]) => z.ZodObject;
  output: JsonSchema;
  /** @param given valid arguments */
  call: (given: never, api: Api) => Promise<object>;
}

/** Ties the type of a tool's arguments to its input. */
export function tool<I extends z.ZodObject>(
  declared: Omit<Tool, 'input' | 'call'> & {
    input: (scopes: readonly Scope[]) => I;
    call: (given: z.infer<I>, api: Api) => Promise<object>;
  },
): Tool {
  return declared;
}

/** An empty one is refused by the API. */
const text = () => z.string().optional();
const flag = () => z.boolean().optional();
const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values).optional();

export const detail = choice(['full']).describe('records uncut');

const period = z.string().optional();
export const lengthOrName = period.describe(
  '7d, 3m (90 days), 1y, today, this_week, last_month, ytd, 2026-11-20, 2026-10, 2026-Q3, 2026-W47, all',
);

/** A period of days. */
export const dates = {
  period: lengthOrName,
  start: z.string().optional().describe('date or RFC 3339'),
  end: z.string().optional().describe('included if a date'),
};

export const words = text();

export const tradeFilters = {
  text: words.describe('words in notes and entries'),
  symbol: text(),
  underlying: text(),
  market: choice(MARKETS),
  side: choice(POSITION_SIDES),
  outcome: choice(OUTCOMES),
  account: text(),
  setup: text(),
  tag: text(),
  mistake: text(),
  has_stop: flag(),
  has_journal: flag(),
  min_net_pnl: z.number().optional(),
  max_net_pnl: z.number().optional(),
  min_quantity: z.number().optional(),
  max_quantity: z.number().optional(),
  min_contracts: z.number().optional(),
};

export const limit = (standard: number, most: number) =>
  z.int().min(1).max(most).default(standard);

export const unit = choice(UNITS);

export const NO_MARKET_PRICES = 'not in a journal, so unrealised P&L is unknown';

const LEGS_AS_ONE = 'legs of a spread count as one; unit=trade for legs';
const LEGS_APART = 'each leg of a spread counts; unit=position counts a spread as one';

/**
 * What a call counts: by default what the owner calls a trade. The answer states it if
 * legs and positions differ.
 */
export async function countedBy(
  asked: Me['unit'] | undefined,
  api: Api,
): Promise<{ unit: Me['unit']; counts: { counts?: string } }> {
  const { unit } = await api.me();
  if (unit === 'trade' || asked === 'position')
    return { unit: asked ?? unit, counts: {} };
  return asked === undefined
    ? { unit, counts: { counts: LEGS_AS_ONE } }
    : { unit: asked, counts: { counts: LEGS_APART } };
}

/** Reduces periods to their first and last days. */
export function withDates(data: Row): Row {
  const entries = Object.entries(data).map(([name, value]) => {
    if (typeof value !== 'object' || value === null || !('start_date' in value))
      return [name, value];
    const { start: _start, end: _end, ...dates } = rowOf(value);
    const isWhole = dates['start_date'] === null && dates['end_date'] === null;
    return [name, isWhole ? { covers: 'the whole journal', ...dates } : dates];
  });
  return Object.fromEntries(entries);
}

/**
 * Removes two misleading parts: the cost of mistakes, which is the net P&L with the
 * opposite sign, so that a gain looks like a loss; and a previous period without trades.
 */
export function withoutCost({ mistakes, previous, previous_period, ...data }: Row): Row {
  const { cost: _, ...nets } = rowOf(mistakes);
  const isEmpty = !previous || rowOf(previous)['trades'] === 0;
  return {
    ...data,
    ...(mistakes && { mistakes: nets }),
    ...(previous && previous_period && !isEmpty && { previous, previous_period }),
  };
}

// Hints where a model would draw a wrong conclusion: each names the call that is right.

/**
 * A symbol that is an underlying, too, or only that: its options and futures have other
 * symbols.
 */
export async function underlyingHint(
  symbol: string | undefined,
  api: Api,
): Promise<string | undefined> {
  const labels = symbol === undefined ? undefined : await api.labels();
  if (symbol === undefined || !labels) return undefined;

  const count = (name: string) =>
    labels[name]?.find(({ value }) => foldCase(value) === foldCase(symbol))?.count ?? 0;

  const [exact, all] = [count('symbols'), count('underlyings')];
  if (all <= exact) return undefined;

  const name = visibleText(symbol);
  const trades = exact === 1 ? 'trade' : 'trades';

  return (
    `symbol="${name}" finds ${exact} ${trades} in that exact instrument; ` +
    `underlying="${name}" finds ${all}, with its options and futures`
  );
}

/**
 * A bounded period without closed trades.
 * @param trades number found, with those without an exchange rate
 */
export async function emptyPeriodHint(
  trades: number,
  { start, end, period }: Query,
  api: Api,
): Promise<string | undefined> {
  const isBounded =
    start !== undefined ||
    end !== undefined ||
    (period !== undefined && period !== 'all');
  if (trades > 0 || !isBounded) return undefined;

  // Asked again, because the journal may have grown since the start of the connection.
  const extent = (await api.data<Me>('/v1/me')).extent['trades'];
  if (!extent) return undefined;

  const { first, last } = extent;
  return `no matching closed trades in this period; the journal's trades are from ${first} to ${last}`;
}

/**
 * Closed trades without an exchange rate, which no figure counts, and their currencies.
 */
export function withoutRate(quality: Row[string] | undefined): Row {
  const { without_rate = 0, currencies_left_out = [] } = rowOf(quality);
  return without_rate === 0 ? {} : { without_rate, currencies_left_out };
}

/** Number of closed trades of figures, with those without an exchange rate. */
export function closedTrades(performance: Row, quality: Row[string] | undefined): number {
  const { without_rate = 0 } = withoutRate(quality);
  return Number(performance['trades']) + Number(without_rate);
}

/** Figures of no trade aren't sent: zeros read like a result. */
export function withoutZeros(data: Row): Row {
  const counts = (name: string) => rowOf(data[name])['trades'] ?? 0;
  if (data['performance'] === undefined || counts('performance') !== 0) return data;

  const isNothing = (name: string, value: Row[string]) =>
    OF_TRADES.includes(name) || rowOf(value)[COUNT_OF[name] ?? ''] === 0;
  const kept = Object.entries(data).filter(([name, value]) => !isNothing(name, value));
  const { currency = null } = rowOf(data['performance']);
  return { ...Object.fromEntries(kept), performance: { trades: 0, currency } };
}

/** Sections of other records, with the field that counts them. */
const COUNT_OF: Readonly<Record<string, string>> = { open: 'trades', missed: 'count' };

const OF_TRADES = [
  'performance',
  'mistakes',
  'rules',
  'data_quality',
  'groups',
  'leaks',
  'simulation',
  'exits',
  'top_symbols',
  'common_tags',
  'common_setups',
  'common_mistakes',
];

/** The hints of an answer as one field, after that of the API. */
export function withHints(
  data: Row,
  hints: readonly (string | undefined)[],
): { hint?: string } {
  const all = [data['hint'], ...hints].filter((hint) => typeof hint === 'string');
  return all.length === 0 ? {} : { hint: all.join('; ').replaceAll('.; ', '; ') };
}
