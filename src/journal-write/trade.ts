/**
 * A trade's facts: those of its executions, and missing values that follow from them or
 * from prices.
 */

import * as z from 'zod';
import { RowError } from '../errors.ts';
import { execution, type executionExits, trades } from '../journal/resources/trades.ts';
import { matchedExits } from '../journal/trade-exits.ts';
import { asDecimal, difference, isNoise, roundMoney, Sum } from '../money.ts';
import {
  compare,
  type Execution,
  explainIssues,
  type GivenRecord,
  mergeRecord,
  normaliserOf,
  same,
  storedFields,
  type Values,
  type WholeRecord,
  type WriteSettings,
} from './record.ts';

const FIELDS = storedFields(trades);

/** Fields that can't be computed. */
const NEEDED = FIELDS.map(({ name }) => name).filter(
  (name) => !['open_quantity', 'gross_pnl'].includes(name),
);

/** Fields from which gross_pnl is computed. */
const PRICED_BY = [
  'side',
  'status',
  'quantity',
  'open_quantity',
  'multiplier',
  'entry_price',
  'exit_price',
];

/** Fields from which mae and mfe are computed. */
const MEASURED_BY = [...PRICED_BY, 'executed_at', 'closed_at', 'gross_pnl'];

/** Fields that follow from executions. */
export const FROM_EXECUTIONS = [
  'side',
  'status',
  'executed_at',
  'closed_at',
  'has_time',
  'quantity',
  'open_quantity',
  'entry_price',
  'exit_price',
  'fees',
] as const;

/**
 * The trade to store. Given values are kept; the rest was stored or is computed:
 * position, times and fees from new executions, gross_pnl from executions, else from
 * prices. Money is in the trade's currency.
 * @param stored undefined for a new trade
 * @throws RowError if facts are missing or contradict each other
 */
export function completeTrade(
  given: GivenRecord,
  stored: Readonly<WholeRecord> | undefined,
  settings: Pick<WriteSettings, 'user' | 'account' | 'now'>,
): WholeRecord {
  const record = mergeRecord(FIELDS, given.record, stored?.record, settings);
  const before = stored?.executions ?? [];
  const executions = given.executions ?? before;
  const areNew = !same(executions, before);

  record['account'] ??= given.keepsAccount ? null : (settings.account ?? null);
  if (areNew && executions.length > 0)
    fillFromExecutions(record, given.record, executions);
  if (given.record['open_quantity'] === undefined)
    fillOpenQuantity(record, !stored && executions.length === 0);
  checkRate(
    given.record['fx_rate'] ?? null,
    record['currency'],
    settings.user.base_currency,
  );
  clearBaseRate(record, settings.user.base_currency);

  refuseMissing(record);
  const isRepriced = areNew || !areSame(PRICED_BY, record, stored);
  // New prices of a closed trade take precedence over executions stored before.
  const priced = record['status'] === 'open' ? executions : given.executions;
  if (given.record['gross_pnl'] === undefined && isRepriced)
    record['gross_pnl'] = grossOf(record, priced);
  if (!areSame(MEASURED_BY, record, stored) || !haveSamePrices(executions, before))
    dropExcursions(record, given.record);

  return { record, executions };
}

function grossOf(record: Values, fills: readonly Execution[] = []): number {
  return fills.length > 0 ? grossOfFills(record, fills) : grossOfPrices(record);
}

/** @param isNewWithout whether it is a new trade without executions */
function fillOpenQuantity(record: Values, isNewWithout: boolean): void {
  if (record['status'] === 'closed') record['open_quantity'] = 0;
  else if (isNewWithout) record['open_quantity'] = record['quantity'];
}

/** Whether fields have the values that were stored. */
function areSame(
  names: readonly string[],
  record: Values,
  stored: Readonly<WholeRecord> | undefined,
): boolean {
  return (
    stored !== undefined && names.every((name) => record[name] === stored.record[name])
  );
}

const EXCURSIONS = ['mae', 'mfe'] as const;

/** Removes the bounds of excursions that a file states: bounds are those of candles. */
export function dropBounds(given: Values): void {
  for (const name of EXCURSIONS)
    if (given[name] !== undefined) given[`${name}_bound`] ??= null;
}

/**
 * Removes excursions computed from candles, unless they are given: the facts that they
 * were computed from have changed.
 */
function dropExcursions(record: Values, given: Readonly<Values> = {}): void {
  for (const name of EXCURSIONS) {
    const bound = `${name}_bound`;
    if (record[bound] !== null && given[bound] === undefined)
      record[name] = record[bound] = null;
  }
}

/** Whether executions are the same but for fees. */
function haveSamePrices(a: readonly Execution[], b: readonly Execution[]): boolean {
  const priced = ({ fees: _, ...execution }: Execution) => execution;
  return same(a.map(priced), b.map(priced));
}

/**
 * Clears the rate 1 of a trade in the user's base currency, which another program may
 * have stored.
 */
export function clearBaseRate(record: Values, baseCurrency: string): void {
  if (record['currency'] === baseCurrency) record['fx_rate'] = null;
}

function checkRate(rate: unknown, currency: unknown, baseCurrency: string): void {
  if (currency !== baseCurrency || rate === null || rate === 1) return;
  throw new RowError(
    'fx_rate',
    `must be 1 or omitted for a trade in the user's base currency (${baseCurrency}); got ${rate}`,
  );
}

/** Names all missing fields at once, except computed ones. */
function refuseMissing(record: Readonly<Values>): void {
  const missing = NEEDED.filter((name) => record[name] === undefined);
  if (missing.length > 0) throw RowError.missing(missing);
}

function fillFromExecutions(
  record: Values,
  given: Readonly<Values>,
  executions: readonly Execution[],
): void {
  const names = FROM_EXECUTIONS.filter((name) => given[name] === undefined);
  if (names.length === 0) return;

  const position = positionOf(executions);
  if (!position) {
    throw new RowError(
      'executions',
      'reverse the position; end the trade at flat and start another',
    );
  }

  for (const name of names) record[name] = position[name];
}

function grossOfFills(record: Readonly<Values>, fills: readonly Execution[]): number {
  const realised = realisedBy(fills, record['multiplier'] as number);
  const isFlat = positionOf(fills)?.status === 'closed';
  if (realised !== undefined && (isFlat || record['status'] === 'open')) return realised;
  throw new RowError(
    'gross_pnl',
    "is missing, and can't be computed because the executions don't end flat",
  );
}

function grossOfPrices(record: Readonly<Values>): number {
  if (record['status'] === 'open') return 0;

  const {
    quantity,
    multiplier,
    entry_price: entry,
    exit_price: exit,
  } = record as Record<string, number | null>;
  if (exit === null)
    throw new RowError(
      'gross_pnl',
      "is missing, and can't be computed without exit_price",
    );

  const points = Number(exit) - Number(entry);
  return roundIfFinite(
    (record['side'] === 'long' ? points : -points) *
      Number(quantity) *
      Number(multiplier),
  );
}

// Size, prices, times and realised P&L of a trade, computed from its executions.

/** Executions, which are stored with their trade. */
export const executionList = z.array(execution);

/**
 * Parts of other records in the API's trades: skipped, since those records are imported
 * separately.
 */
export const SHOWN_OF_OTHERS: readonly string[] = [
  'dated_costs',
  'group',
  'journals',
  'group_journals',
  'withheld',
];

const normalise = normaliserOf(executionList);

/**
 * The executions of a trade in a file, in the order they happened; undefined without any.
 * @param timeZone for times without an offset
 * @throws RowError that names the invalid one and its member
 */
export function executionsIn(
  row: Readonly<Values>,
  timeZone: string | undefined,
): Execution[] | undefined {
  if (row['executions'] === undefined) return undefined;

  const value = normalise?.(withoutExits(row['executions']), timeZone, 'executions');
  const parsed = executionList.safeParse(value);
  if (parsed.success) return inOrder(parsed.data);

  const issues = parsed.error.issues.map((issue) => ({
    ...issue,
    path: ['executions', ...issue.path],
  }));
  throw explainIssues(issues, {}, { executions: value });
}

/** Without the fields that the API computes. */
function withoutExits(executions: unknown): unknown {
  if (!Array.isArray(executions)) return executions;

  return executions.map((fill: unknown) =>
    typeof fill === 'object' && fill !== null && COMPUTED.some((name) => name in fill)
      ? Object.fromEntries(
          Object.entries(fill).filter(([name]) => !COMPUTED.includes(name)),
        )
      : fill,
  );
}

const COMPUTED: readonly string[] = [
  'realised_pnl',
  'position',
] satisfies (keyof ReturnType<typeof executionExits>)[];

/**
 * A trade by its executions: quantities in units, average prices, fees in the currency of
 * the trade.
 */
interface Position {
  side: 'long' | 'short';
  status: 'open' | 'closed';
  executed_at: string;
  closed_at: string | null;
  has_time: boolean;
  quantity: number;
  open_quantity: number;
  entry_price: number;
  exit_price: number | null;
  fees: number;
}

/** Fills in the order they happened; for equal times, in the given order. */
export function inOrder(executions: readonly Execution[]): Execution[] {
  return executions.toSorted((a, b) => compare(a.executed_at, b.executed_at));
}

/**
 * The position that the executions of one trade make.
 * @param executions in order, at least one
 * @returns undefined if they reverse the position, which no single trade does
 */
export function positionOf(executions: readonly Execution[]): Position | undefined {
  const first = executions[0] as Execution;
  const entry = { quantity: new Sum(), value: new Sum() };
  const exit = { quantity: new Sum(), value: new Sum() };
  const fees = new Sum();

  for (const fill of executions) {
    const leg = fill.side === first.side ? entry : exit;
    leg.quantity.add(fill.quantity);
    leg.value.add(fill.quantity * fill.price);
    fees.add(fill.fees);
    if (openOf(entry.quantity.value, exit.quantity.value) < 0) return undefined;
  }

  const quantity = entry.quantity.value;
  const open = openOf(quantity, exit.quantity.value);
  const last = executions.at(-1) as Execution;

  return {
    side: first.side === 'buy' ? 'long' : 'short',
    status: open === 0 ? 'closed' : 'open',
    executed_at: first.executed_at,
    closed_at: open === 0 ? last.executed_at : null,
    has_time: first.has_time && (open > 0 || last.has_time),
    quantity: asDecimal(quantity),
    open_quantity: open,
    entry_price: asDecimal(entry.value.value / quantity),
    exit_price:
      exit.quantity.value > 0 ? asDecimal(exit.value.value / exit.quantity.value) : null,
    fees: roundIfFinite(fees.value),
  };
}

/**
 * Realised P&L of a trade's executions before fees; closes use the prices of the units
 * opened first.
 * @param executions in order
 * @param multiplier money per point of price and unit of quantity
 * @returns money in the currency of the trade; undefined without executions, or if they
 * reverse the position
 */
export function realisedBy(
  executions: readonly Execution[],
  multiplier: number,
): number | undefined {
  const position = executions.length > 0 ? positionOf(executions) : undefined;
  if (!position) return undefined;

  const realised = new Sum();
  if (position.status === 'closed') {
    // From flat to flat, proceeds minus cost is exact; averages aren't.
    for (const fill of executions)
      realised.add((fill.side === 'sell' ? 1 : -1) * fill.quantity * fill.price);
    return roundIfFinite(realised.value * multiplier);
  }

  for (const { gross } of matchedExits({ side: position.side, multiplier }, executions))
    realised.add(gross);
  return roundIfFinite(realised.value);
}

/** The open quantity, negative beyond flat; binary noise counts as 0. */
function openOf(opened: number, closed: number): number {
  return isNoise(opened - closed, opened) ? 0 : difference(opened, closed);
}

/** Rounded money; infinite values are rejected later, by the check of the record. */
function roundIfFinite(value: number): number {
  return Number.isFinite(value) ? roundMoney(value) : value;
}
