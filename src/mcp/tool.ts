/** The shape of a tool, and arguments that several tools share. */
import * as z from 'zod';
import type { Scope } from '../keys/scopes.ts';
import type { Api } from './api.ts';
import type { Row } from './compact.ts';

type JsonSchema = Record<string, unknown>;

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
const choice = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values).optional();

export const detail = choice(['full']).describe("the API's records, uncut");

const period = z.string().optional();
export const lengthOrName = period.describe(
  '7d, 4w, 3m (90 days), 1y, today, this_week, last_month, ytd, 2026-11-20, 2026-10, 2026-Q3, 2026-W47, 2026, all',
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
  market: choice(['stock', 'option', 'future', 'forex', 'crypto', 'cfd', 'other']),
  side: choice(['long', 'short']),
  outcome: choice(['win', 'loss', 'breakeven']),
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
};

export const words = text();

export const limit = (standard: number, most: number) => z.int().min(1).max(most).default(standard);

export const unit = choice(['trade', 'position']).describe('position: legs of a group count as one');

export const NO_MARKET_PRICES = 'not in a journal, so unrealised P&L is unknown';

/** Hints that figures count legs as trades, and could count positions. */
export async function groupsHint(unit: string | undefined, api: Api): Promise<{ groups_hint?: string }> {
  if (unit !== undefined || !(await api.me()).extent['trade-groups']) return {};
  return { groups_hint: 'legs of trade groups count as trades; unit=position counts each group as one' };
}

/** Reduces periods to their first and last days. */
export function withDates(data: Row): Row {
  const entries = Object.entries(data).map(([name, value]) => {
    if (typeof value !== 'object' || value === null || !('start_date' in value)) return [name, value];
    const { start: _start, end: _end, ...dates } = value as Row;
    const isWhole = dates['start_date'] === null && dates['end_date'] === null;
    return [name, isWhole ? { covers: 'the whole journal', ...dates } : dates];
  });
  return Object.fromEntries(entries);
}

/**
 * Removes two misleading parts: the cost of mistakes, which is the net P&L with the opposite sign, so that a gain looks like a loss; and a
 * previous period without trades.
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
