/**
 * Cash of accounts by currency: flows, what exits realised, what opening positions took,
 * and balances that files state. Formulas: docs/analytics.md.
 */

import { Sum } from '../../money.ts';
import { foldCase } from '../../sqlite/functions.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { addDays, toInstantText, type ZoneClock } from '../../time.ts';
import type { User } from '../journal.ts';
import { cashFlows, type FlowKind } from '../resources/cash-flows.ts';
import { type Trade, tradeFilters } from '../resources/trades.ts';
import { parseStored, storedInstant, storedNumber } from '../stored-value.ts';
import type { Exit, ExitFill } from '../trade-exits.ts';
import { isOneOf, Where } from '../where.ts';
import { rateOf } from './closed-trade.ts';
import { ExitRows } from './exit-rows.ts';
import { clamp } from './period.ts';
import { type TradeRow, TradeRows } from './trade-rows.ts';
import { unmatchedCloses } from './unmatched.ts';

/** The account of a request; none: all that the key shows. */
export type OfAccount = Readonly<Record<string, string>>;

interface Flow {
  /** Epoch milliseconds. */
  at: number;
  kind: FlowKind;
  amount: number;
  /** To the base currency; null if unknown. */
  rate: number | null;
}

/** Ending cash by a file. */
export interface Statement {
  importId: number;
  /** Epoch milliseconds: everything before belongs to it. */
  end: number;
  amount: number;
}

/** An account in a currency. */
export class Ledger {
  readonly account: string | null;
  readonly currency: string;
  readonly flows: Flow[] = [];
  /** The earliest first. */
  readonly statements: Statement[] = [];
  // Lists of numbers take a third of the time of a list of exits.
  readonly at: number[] = [];
  readonly nets: number[] = [];
  /** To the base currency; NaN if unknown. */
  readonly rates: number[] = [];
  /** Of entries, exits and flows. */
  first = Number.POSITIVE_INFINITY;
  last = Number.NEGATIVE_INFINITY;
  /** The earliest known rate. */
  rate: number | null;
  #ratedAt = Number.POSITIVE_INFINITY;

  constructor(account: string | null, currency: string, rate: number | null) {
    this.account = account;
    this.currency = currency;
    this.rate = rate;
  }

  addFlow(flow: Flow): void {
    this.flows.push(flow);
    this.#note(flow.at, flow.rate);
  }

  addEntry(at: number): void {
    this.#note(at, null);
  }

  addExit(at: number, net: number, rate: number | null): void {
    this.at.push(at);
    this.nets.push(net);
    this.rates.push(rate ?? Number.NaN);
    this.#note(at, rate);
  }

  #note(at: number, rate: number | null): void {
    this.first = Math.min(this.first, at);
    this.last = Math.max(this.last, at);
    if (rate === null || at >= this.#ratedAt) return;
    this.rate = rate;
    this.#ratedAt = at;
  }

  /** What exits before an instant, and from another one on, realised. */
  realised(from: number, to: number): number {
    const sum = new Sum();
    for (const [place, at] of this.at.entries())
      if (at >= from && at < to) sum.add(this.nets[place] as number);
    return sum.value;
  }

  /** What came in and left in all before an instant. */
  before(at: number): number {
    const sum = new Sum();
    sum.add(this.realised(Number.NEGATIVE_INFINITY, at));
    for (const flow of this.flows) if (flow.at < at) sum.add(flow.amount);
    return sum.value;
  }
}

export class Ledgers {
  readonly #user: User;
  readonly #byAccount = new Map<string | null, Map<string, Ledger>>();
  /** The same by accounts as spelt: folding the case of each takes longer. */
  readonly #spelt = new Map<string | null, Map<string, Ledger>>();

  constructor(user: User) {
    this.#user = user;
  }

  /** In the order of accounts, without one first, and currencies. */
  get all(): Ledger[] {
    const nameOf = ({ account, currency }: Ledger) =>
      `${account === null ? '' : `\x01${foldCase(account)}`}\0${currency}`;
    return [...this.#byAccount.values()]
      .flatMap((ledgers) => [...ledgers.values()])
      .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  }

  of(account: string | null, currency: string): Ledger {
    const known = this.#spelt.get(account)?.get(currency);
    if (known) return known;

    const name = account === null ? null : foldCase(account);
    const ledgers = this.#byAccount.get(name) ?? new Map<string, Ledger>();
    this.#byAccount.set(name, ledgers);
    this.#spelt.set(account, ledgers);

    const ledger =
      ledgers.get(currency) ??
      new Ledger(account, currency, rateOf(this.#user, currency, null));
    ledgers.set(currency, ledger);
    return ledger;
  }

  addTrade(row: TradeRow, net: number): void {
    const { account, currency, fx_rate, executed_at, closed_at } = row;
    const ledger = this.of(account, currency);
    const isForeign = currency !== this.#user.base_currency;
    const rate = rateOf(this.#user, currency, fx_rate);
    ledger.addEntry(storedInstant(executed_at));

    const exits: readonly Pick<Exit, 'executed_at' | 'net' | 'fx_rate'>[] = row.exits ?? [
      { executed_at: closed_at, net, fx_rate: null },
    ];
    // As for figures: a trade without a rate counts only if each of its exits has one.
    const isRated = rate !== null || exits.every((exit) => exit.fx_rate !== null);
    for (const exit of exits) {
      const ofExit = isForeign ? (exit.fx_rate ?? rate) : rate;
      ledger.addExit(
        storedInstant(exit.executed_at),
        storedNumber(exit.net),
        isRated ? ofExit : null,
      );
    }
  }
}

/** Reads the ledgers of all accounts, or of one, over the whole journal. */
export function ledgersOf(
  reader: Reader,
  user: User,
  filters: OfAccount,
  clock: ZoneClock,
): Ledgers {
  const ledgers = new Ledgers(user);
  readTrades(reader, user, filters, ledgers);

  const range = { from: null, to: null };
  for (const close of unmatchedCloses(reader, user, { range, filters })) {
    const { account, currency, closed_at, net_pnl, fx_rate } = close;
    if (net_pnl === null) continue;
    const rate = rateOf(user, currency, fx_rate);
    ledgers
      .of(account, currency)
      .addExit(storedInstant(closed_at), storedNumber(net_pnl), rate);
  }

  const where = new Where(user.id).filter(cashFlows.filters, filters, { byIndex: false });
  const flows = reader.all<FlowRow>(
    `SELECT account, at, kind, amount, currency, fx_rate FROM cash_flow_records
     WHERE ${where.sql} ORDER BY at`,
    ...where.values,
  );
  for (const { account, at, kind, amount, currency, fx_rate: rate } of flows)
    ledgers
      .of(account, currency)
      .addFlow({ at: storedInstant(at), kind, amount: storedNumber(amount), rate });

  addStatements(reader, user, filters, { ledgers, clock });
  return ledgers;
}

interface FlowRow {
  account: string | null;
  at: string;
  kind: FlowKind;
  amount: number;
  currency: string;
  fx_rate: number | null;
}

function readTrades(
  reader: Reader,
  user: User,
  filters: OfAccount,
  ledgers: Ledgers,
): void {
  const reading = new TradeRows(reader, user, ['entered', 'account', 'exits']);
  const add = (rows: readonly TradeRow[]) => {
    for (const row of rows)
      ledgers.addTrade(row, row.closed_at === null ? 0 : reading.netOf(row));
  };

  const ofAccount = () =>
    new Where(user.id).filter(tradeFilters, filters, { byIndex: false });
  reading.inOrder(['closed_at'], () => ofAccount().add('closed_at IS NOT NULL'), add);
  reading.inOrder(['executed_at'], () => ofAccount().add("status = 'open'"), add);
}

/** Ending cash as an import keeps it. */
export interface KeptCash {
  account: string | null;
  currency: string;
  amount: number;
  /** As the file writes it. */
  at: string | null;
  /**
   * The present name of the account, and the file's last row; absent in journals of
   * earlier days.
   */
  holder?: string | null;
  until?: string | null;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

function addStatements(
  reader: Reader,
  user: User,
  { account: asked }: OfAccount,
  { ledgers, clock }: { ledgers: Ledgers; clock: ZoneClock },
): void {
  const rows = reader.all<{ id: number; cash: string }>(
    `SELECT id, cash FROM imports WHERE user_id = ${TEXT} AND cash IS NOT NULL ORDER BY id`,
    user.id,
  );

  for (const { id, cash } of rows)
    for (const kept of parseStored(cash) as KeptCash[]) {
      const account = kept.holder === undefined ? kept.account : kept.holder;
      const isAsked =
        asked === undefined || foldCase(account ?? '\0') === foldCase(asked);
      const end = endOf(kept, clock);
      if (!isAsked || end === null) continue;

      const statement = {
        importId: id,
        end,
        amount: storedNumber(kept.amount),
      };
      ledgers.of(account, kept.currency).statements.push(statement);
    }

  for (const { statements } of ledgers.all) statements.sort((a, b) => a.end - b.end);
}

/**
 * The end of a stated day, or the file's last row; a day ends no earlier than the last
 * row.
 */
function endOf({ at, until = null }: KeptCash, clock: ZoneClock): number | null {
  const rows = until === null ? null : storedInstant(until) + 1;
  const day = at?.slice(0, 10) ?? '';
  if (!DAY.test(day) || (rows !== null && at !== day)) return rows;

  const next = clock.startOfDay(addDays(day, 1));
  return Math.max(next, rows ?? next);
}

// What opening positions took from cash.

/** Markets in which opening a position moves no cash but its costs. */
const WITHOUT_CASH: readonly Trade['market'][] = ['future', 'cfd', 'forex'];

export interface OpenCost {
  cost: Sum;
  /** Whether futures are open: the stated cash has their daily settlement. */
  hasFutures: boolean;
}

interface OpenRow
  extends Pick<
    Trade,
    | 'id'
    | 'account'
    | 'currency'
    | 'market'
    | 'side'
    | 'quantity'
    | 'open_quantity'
    | 'entry_price'
    | 'multiplier'
    | 'fees'
  > {
  closed_at: string | null;
}

/** @param at epoch milliseconds: of the positions open then */
export function openCostsAt(
  reader: Reader,
  user: User,
  filters: OfAccount,
  { at, ledgers }: { at: number; ledgers: Ledgers },
): Map<Ledger, OpenCost> {
  const before = toInstantText(clamp(at));
  const where = new Where(user.id)
    .filter(tradeFilters, filters, { byIndex: false })
    .range('executed_at', { from: null, to: before })
    .add(`(closed_at IS NULL OR closed_at >= ${TEXT})`, before);
  const rows = reader.all<OpenRow>(
    `SELECT id, account, currency, market, side, quantity, open_quantity, entry_price, multiplier,
       fees, closed_at
     FROM trades AS t WHERE ${where.sql}`,
    ...where.values,
  );

  const exits = new ExitRows(reader, user).of(rows);
  const fills = fillsOf(reader, user, rows);
  const costs = new Map<Ledger, OpenCost>();

  for (const row of rows) {
    const ledger = ledgers.of(row.account, row.currency);
    const open = costs.get(ledger) ?? { cost: new Sum(), hasFutures: false };
    costs.set(ledger, open);
    open.hasFutures ||= row.market === 'future';
    const ofRow = { exits: exits.get(row.id) ?? null, fills: fills.get(row.id) ?? [] };
    open.cost.add(storedNumber(costOf(row, ofRow, before)));
  }

  return costs;
}

type Fill = Pick<ExitFill, 'executed_at' | 'side' | 'quantity' | 'price' | 'fees'>;

function fillsOf(
  reader: Reader,
  user: User,
  rows: readonly OpenRow[],
): Map<string, Fill[]> {
  if (rows.length === 0) return new Map();
  const fills = reader.all<Fill & { trade_id: string }>(
    `SELECT trade_id, executed_at, side, quantity, price, fees FROM executions
     WHERE user_id = ${TEXT} AND ${isOneOf('trade_id')} ORDER BY trade_id, executed_at, position`,
    user.id,
    JSON.stringify(rows.map(({ id }) => id)),
  );
  return Map.groupBy(fills, ({ trade_id }) => trade_id);
}

/**
 * What its fills took from cash, and its exits haven't brought back: whatever exits are
 * by first in, first out, or by average prices, both together are the cash.
 * @param before UTC text
 */
function costOf(
  row: OpenRow,
  { exits, fills }: { exits: readonly Exit[] | null; fills: readonly Fill[] },
  before: string,
): number {
  const { market, closed_at } = row;
  const movesCash = !WITHOUT_CASH.includes(market);
  if (exits === null || fills.length === 0) return costWithoutFills(row, movesCash);

  const taken = fills.filter(({ executed_at }) => executed_at < before);
  const cost = sumOf(taken.map(({ fees }) => fees));
  if (movesCash) for (const fill of taken) cost.add(priceOf(fill) * row.multiplier);
  const closing = exits.filter(({ isCost }) => !isCost);
  for (const exit of closing)
    if (exit.executed_at < before) cost.add(movesCash ? exit.net : -exit.fees);

  // Costs that no fill carries; those with days of their own are realised.
  const dated = exits.filter(({ isCost }) => isCost);
  const known = sumOf([...fills, ...dated].map(({ fees }) => fees));
  if (closed_at === null) cost.add(row.fees - known.value);
  return cost.value;
}

const priceOf = ({ side, price, quantity }: Fill) =>
  (side === 'buy' ? 1 : -1) * price * quantity;

function sumOf(values: readonly number[]): Sum {
  const sum = new Sum();
  for (const value of values) sum.add(value);
  return sum;
}

/**
 * All of it was opened at the entry; when its costs were paid is unknown once it is
 * closed.
 */
function costWithoutFills(row: OpenRow, movesCash: boolean): number {
  const { side, quantity, open_quantity, entry_price, multiplier, fees, closed_at } = row;
  const held = closed_at === null ? open_quantity || quantity : quantity;
  const sign = side === 'long' ? 1 : -1;
  const paid = movesCash ? sign * (entry_price ?? 0) * held * multiplier : 0;
  return paid + (closed_at === null ? fees : 0);
}
