/**
 * What fills realise apart from the trades that are written: closes without an opening,
 * and exits of earlier days whose amounts have changed.
 */
import type Database from 'better-sqlite3';
import { exitsOf, matchedExits } from '../../../journal/trade-exits.ts';
import type { WriteSettings } from '../../../journal-write/record.ts';
import { roundMoney, totalMoney } from '../../../money.ts';
import { rateUnmatched } from '../../../statements/exchange-rates.ts';
import { type Fill, PART } from '../../../statements/fill-row.ts';
import { UnmatchedCloseTable } from '../../../statements/walked-trades.ts';
import { dateOfDay, fromInstantText, ZoneClock } from '../../../time.ts';
import {
  datedCosts,
  executionsOf,
  type WalkedTrade,
  walkedFields,
} from '../trade-record.ts';
import type { Leftover, Walk } from '../walk/walk.ts';
import type { Affected } from './affected.ts';

/** Others change what is held, or state costs. */
const CLOSES: readonly Fill['kind'][] = [
  'trade',
  'expiration',
  'assignment',
  'exercise',
  'delivery',
];

const LARGEST = 1e15;

/**
 * Stores closes without an opening, and what they realised by what their rows state: of a
 * row that closes a position and more, what it states less what the position made.
 */
export class UnmatchedWriter {
  readonly #db: Database.Database;
  readonly #settings: WriteSettings;
  readonly #table: UnmatchedCloseTable;
  #hasForeign = false;

  constructor(db: Database.Database, settings: WriteSettings) {
    this.#db = db;
    this.#settings = settings;
    this.#table = new UnmatchedCloseTable(db, settings.user.id);
  }

  /** Stores what the walk of some instruments leaves. */
  apply({ instruments, from }: Affected, { unmatched, trades }: Walk): void {
    this.#table.clear(instruments, from);
    const closes = unmatched.filter(isClose);
    if (closes.length === 0) return;

    const { base_currency } = this.#settings.user;
    for (const { fill, quantity } of closes) {
      const share = shareOf({ fill, quantity });
      const fees = roundMoney(feesOf(fill) * share);
      const netPnl = netOf(fill, share < 1 ? trades : []);
      this.#table.add({ fill, quantity, fees, netPnl }, base_currency);
      this.#hasForeign ||= fill.currency !== base_currency;
    }
  }

  /** Call it once all are stored. */
  end(): void {
    if (this.#hasForeign) rateUnmatched(this.#db, this.#settings.user);
  }
}

function isClose({ fill }: Leftover): boolean {
  return (
    CLOSES.includes(fill.kind) && fill.part !== PART.cancels && fill.part !== PART.booked
  );
}

/** The share of a fill that nothing opened. */
function shareOf({ fill, quantity }: Leftover): number {
  if (quantity === null || fill.quantity === null) return 1;
  return Math.min(1, quantity / fill.quantity);
}

function feesOf({ fees, fee_quantity, price, multiplier }: Fill): number {
  return fees + fee_quantity * Math.abs(price) * multiplier;
}

/**
 * What an unmatched close realised by its row; null if the row states nothing.
 * @param trades of which the fill may close one, as its last
 */
function netOf(fill: Fill, trades: readonly WalkedTrade[]): number | null {
  const { stated_gross_pnl: gross, stated_net_pnl: net } = fill;
  const stated = net ?? (gross === null ? null : gross - feesOf(fill));
  if (stated === null) return null;

  const matched = trades
    .filter(({ executions }) => executions.at(-1)?.fill === fill.execution_id)
    .reduce((sum, trade) => sum + (lastExit(trade)?.net ?? 0), 0);
  const rest = roundMoney(stated - matched);
  // The journal stores no larger amounts.
  return Math.abs(rest) < LARGEST ? rest : null;
}

function lastExit({
  side,
  opening,
  executions,
}: WalkedTrade): { net: number } | undefined {
  return matchedExits({ side, multiplier: opening.multiplier }, executions).at(-1);
}

/** What exits of a day realised, before and after. */
export interface ChangedDay {
  date: string;
  currency: string;
  before: number;
  after: number;
}

/** Smaller changes are rounding. */
const LEAST = 0.005;

interface RealisedFill {
  executed_at: string;
  currency: string;
  net: number;
}

type Walked = { readonly [Name in 'trades' | 'unmatched']: Readonly<Walk[Name]> };

/**
 * Exits of earlier days that realise another amount since fills came or went: a close of
 * an open trade, an opening that a file lacked. The report names their days.
 */
export class ChangedExits {
  readonly #settings: Pick<WriteSettings, 'user'>;
  readonly #clock: ZoneClock;
  readonly #days = new Map<string, ChangedDay>();

  constructor(settings: Pick<WriteSettings, 'user'>) {
    this.#settings = settings;
    this.#clock = new ZoneClock(settings.user.timezone);
  }

  add(before: Walked, after: Walked): void {
    if (before.trades.length + before.unmatched.length === 0) return;

    const former = this.#realised(before, after);
    if (former.size === 0) return;

    const present = this.#realised(after, before);
    for (const [fill, { executed_at, currency, net }] of former) {
      const now = present.get(fill);
      if (now && Math.abs(now.net - net) > LEAST)
        this.#put(executed_at, currency, net, now.net);
    }
  }

  get days(): ChangedDay[] {
    const days = [...this.#days.values()].map((day) => ({
      ...day,
      before: roundMoney(day.before),
      after: roundMoney(day.after),
    }));
    return days.sort((a, b) => (a.date < b.date ? -1 : 1));
  }

  #put(executedAt: string, currency: string, before: number, after: number): void {
    const date = dateOfDay(this.#clock.dayOf(fromInstantText(executedAt)));
    const key = `${date} ${currency}`;
    const day = this.#days.get(key) ?? { date, currency, before: 0, after: 0 };
    this.#days.set(key, {
      ...day,
      before: day.before + before,
      after: day.after + after,
    });
  }

  /** What fills realised by a walk, those of trades alone that another walk lacks. */
  #realised({ trades, unmatched }: Walked, other: Walked): Map<string, RealisedFill> {
    const same = new Map(other.trades.map((trade) => [trade.id, trade]));
    const different = trades.filter((trade) => !isSameTrade(trade, same.get(trade.id)));
    const realised = new Map<string, RealisedFill>();

    const add = (fill: string, of: RealisedFill) => {
      const net = totalMoney([realised.get(fill)?.net ?? 0, of.net]);
      realised.set(fill, { ...of, net });
    };
    for (const trade of different)
      for (const { fill, ...of } of realisedBy(trade, this.#settings.user.base_currency))
        add(fill, of);
    for (const { fill } of unmatched) {
      const net = netOf(fill, trades);
      const { execution_id, executed_at, currency } = fill;
      if (net !== null) add(execution_id, { executed_at, currency, net });
    }

    return realised;
  }
}

function isSameTrade(a: WalkedTrade, b: WalkedTrade | undefined): boolean {
  if (b === undefined || a.executions.length !== b.executions.length) return false;
  return a.executions.every((execution, i) => {
    const other = b.executions[i];
    return (
      execution.fill === other?.fill &&
      execution.quantity === other.quantity &&
      execution.price === other.price &&
      execution.fees === other.fees &&
      execution.stated_gross_pnl === other.stated_gross_pnl &&
      execution.stated_net_pnl === other.stated_net_pnl
    );
  });
}

function realisedBy(
  trade: WalkedTrade,
  baseCurrency: string,
): (RealisedFill & { fill: string })[] {
  const closing = trade.executions.filter(
    ({ side }) => side !== trade.executions[0]?.side,
  );
  if (closing.length === 0) return [];

  const fields = walkedFields(trade, baseCurrency);
  const { side } = trade;
  const matched = matchedExits({ ...fields, side }, executionsOf(trade));
  const dated = datedCosts(trade);
  const costs = totalMoney([
    ...matched.map(({ gross, net }) => gross - net),
    ...dated.map(({ amount }) => amount),
  ]);
  const paid = trade.open > 0 ? costs : fields.fees;
  const realised_pnl = roundMoney(fields.gross_pnl - paid);
  const exits = exitsOf({ ...fields, side, realised_pnl }, trade.executions, dated) ?? [];

  return exits.map(({ executed_at, net }, i) => ({
    fill: (closing[i] as WalkedTrade['executions'][number]).fill,
    executed_at,
    currency: fields.currency,
    net,
  }));
}
