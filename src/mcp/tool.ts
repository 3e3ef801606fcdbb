/** The shape of a tool, and arguments and hints that several tools share. */
import * as z from 'zod';
import { visibleText } from '../http/visible-text.ts';
import { MARKETS, OUTCOMES } from '../journal/resources/common.ts';
import { POSITION_SIDES } from '../journal/resources/positions.ts';
import type { Scope } from '../keys/scopes.ts';
import { foldCase } from '../sqlite/functions.ts';
import type { Api, Me, Query } from './api.ts';
import type { Row } from './compact.ts';

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

export const tradeFilters = {
  symbol: text(),
  underlying: text(),
  market: choice(MARKETS),
  side: choice(POSITION_SIDES),
  outcome: choice(OUTCOMES),
  account: text(),
  setup: text(),
  tag: text(),
  mistake: text(),
  group_id: text(),
  has_stop: flag(),
  has_journal: flag(),
  has_mistake: flag(),
  min_net_pnl: z.number().optional(),
  max_net_pnl: z.number().optional(),
  min_quantity: z.number().optional(),
  max_quantity: z.number().optional(),
  min_contracts: z.number().optional(),
  max_contracts: z.number().optional(),
};

export const words = text();

export const limit = (standard: number, most: number) =>
  z.int().min(1).max(most).default(standard);

export const unit = choice(['trade', 'position']);

export const NO_MARKET_PRICES = 'not in a journal, so unrealised P&L is unknown';

const LEGS_AS_ONE = 'legs of a spread count as one; unit=trade for legs';

/**
 * What a call counts: by default what the owner calls a trade. An answer that counts positions
 * without being asked to says so.
 */
export async function countedBy(
  asked: Me['unit'] | undefined,
  api: Api,
): Promise<{ unit: Me['unit']; counts: { counts?: string } }> {
  if (asked !== undefined) return { unit: asked, counts: {} };
  const { unit } = await api.me();
  return { unit, counts: unit === 'position' ? { counts: LEGS_AS_ONE } : {} };
}

/** Reduces periods to their first and last days. */
export function withDates(data: Row): Row {
  const entries = Object.entries(data).map(([name, value]) => {
    if (typeof value !== 'object' || value === null || !('start_date' in value))
      return [name, value];
    const { start: _start, end: _end, ...dates } = value as Row;
    const isWhole = dates['start_date'] === null && dates['end_date'] === null;
    return [name, isWhole ? { covers: 'the whole journal', ...dates } : dates];
  });
  return Object.fromEntries(entries);
}

/**
 * Removes two misleading parts: the cost of mistakes, which is the net P&L with the opposite sign,
 * so that a gain looks like a loss; and a previous period without trades.
 */
export function withoutCost({ mistakes, previous, previous_period, ...data }: Row): Row {
  const { cost: _, ...nets } = (mistakes ?? {}) as Row;
  const isEmpty = !previous || (previous as Row)['trades'] === 0;
  return {
    ...data,
    ...(mistakes && { mistakes: nets }),
    ...(previous && previous_period && !isEmpty && { previous, previous_period }),
  };
}

// Hints where a model would draw a wrong conclusion: each names the call that is right.

interface Label {
  value: string;
  count: number;
}

/**
 * A symbol that is an underlying, too, or only that: its options and futures have other symbols.
 */
export async function underlyingHint(
  symbol: string | undefined,
  api: Api,
): Promise<string | undefined> {
  const labels = symbol === undefined ? undefined : await api.dataIfAny('/v1/labels');
  if (symbol === undefined || !labels) return undefined;

  const count = (name: string) =>
    (labels[name] as unknown as Label[] | null)?.find(
      ({ value }) => foldCase(value) === foldCase(symbol),
    )?.count ?? 0;

  const [exact, all] = [count('symbols'), count('underlyings')];
  if (all <= exact) return undefined;

  const name = visibleText(symbol);
  const trades = exact === 1 ? 'trade' : 'trades';

  return (
    `symbol=${name} finds ${exact} ${trades} in that exact instrument; ` +
    `underlying=${name} finds ${all}, with its options and futures`
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
  const extent = ((await api.data('/v1/me')) as unknown as Me).extent['trades'];
  if (!extent) return undefined;

  const { first, last } = extent;
  return `no matching closed trades in this period; the journal's trades are from ${first} to ${last}`;
}

/** Number of closed trades of figures, with those without an exchange rate. */
export function closedTrades(performance: Row, quality: Row[string] | undefined): number {
  const { without_rate = 0 } = (quality ?? {}) as Row;
  return (performance['trades'] as number) + (without_rate as number);
}

/** The hints of an answer as one field, after that of the API. */
export function withHints(
  data: Row,
  hints: readonly (string | undefined)[],
): { hint?: string } {
  const all = [data['hint'], ...hints].filter((hint) => typeof hint === 'string');
  return all.length === 0 ? {} : { hint: all.join('; ').replaceAll('.; ', '; ') };
}
