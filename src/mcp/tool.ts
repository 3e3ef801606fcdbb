/** What a tool is made of, and the arguments that several take. */
import * as z from 'zod';
import type { Scope } from '../keys/scopes.ts';
import type { Api } from './api.ts';
import type { Row } from './compact.ts';

type JsonSchema = Record<string, unknown>;

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** A key with any of these may call it. */
  scopes: readonly Scope[];
  /** @param scopes of the key, where what it takes depends on them */
  input: (scopes: readonly Scope[]) => z.ZodObject;
  output: JsonSchema;
  /** @param given arguments that the input let through */
  call: (given: never, api: Api) => Promise<object>;
}

/** A tool whose call is given what its input describes. */
export function tool<I extends z.ZodObject>(
  declared: Omit<Tool, 'input' | 'call'> & {
    input: (scopes: readonly Scope[]) => I;
    call: (given: z.infer<I>, api: Api) => Promise<object>;
  },
): Tool {
  return declared;
}

const text = () => z.string().min(1).optional();
const flag = () => z.boolean().optional();
const choice = <const T extends readonly [string, ...string[]]>(values: T) => z.enum(values).optional();

export const detail = choice(['full']).describe("the API's records, uncut");

const period = z.string().optional();
export const lengthOrName = period.describe(
  '7d, 4w, 3m, 1y, today, this_week, last_month, ytd, 2026-10, 2026-Q3, 2026-W47, 2026, all',
);

/** A window of days. */
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

/** Tells an agent that figures count legs where they could count positions. */
export async function groupsHint(unit: string | undefined, api: Api): Promise<{ groups_hint?: string }> {
  if (unit !== undefined || !(await api.me()).extent['trade-groups']) return {};
  return { groups_hint: 'legs of trade groups count as trades; unit=position counts each group as one' };
}

/** An answer whose windows are shown by their days alone. */
export function withDates(data: Row): Row {
  const entries = Object.entries(data).map(([name, value]) => {
    const isWindow = typeof value === 'object' && value !== null && 'start_date' in value;
    const { start: _start, end: _end, ...dates } = isWindow ? (value as Row) : {};
    if (!isWindow) return [name, value];
    const isWhole = dates['start_date'] === null && dates['end_date'] === null;
    return [name, isWhole ? { covers: 'the whole journal', ...dates } : dates];
  });
  return Object.fromEntries(entries);
}

/**
 * Figures without two things that mislead: a cost with its sign turned, which says of a gain that it is negative, next to the net P&L that it is
 * made of; and a period before that holds no trade.
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
