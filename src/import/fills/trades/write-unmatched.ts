/**
 * Closes without an opening, and what they realised by what their rows state: of a row
 * that closes a position and more, what it states less what the position made.
 */
import type Database from 'better-sqlite3';
import { matchedExits } from '../../../journal/trade-exits.ts';
import type { WriteSettings } from '../../../journal-write/record.ts';
import { roundMoney } from '../../../money.ts';
import { rateUnmatched } from '../../../statements/exchange-rates.ts';
import { type Fill, PART } from '../../../statements/fill-row.ts';
import { UnmatchedCloseTable } from '../../../statements/unmatched-closes.ts';
import type { WalkedTrade } from '../trade-record.ts';
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
export function netOf(fill: Fill, trades: readonly WalkedTrade[]): number | null {
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
