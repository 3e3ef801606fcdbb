/** Facts of trades, beside the user's notes. */
import type Database from 'better-sqlite3';
import type { User } from '../../journal/journal.ts';
import type { Values } from '../../journal-write/record.ts';
import { roundMoney } from '../../money.ts';
import { agrees } from '../../parse/cells.ts';
import { USER, UserRows } from '../../sqlite/user-rows.ts';
import type { NotedFigure } from '../note.ts';

export interface Facts {
  /** Null, like the next three, for a group of legs. */
  quantity: number | null;
  multiplier: number | null;
  entry_price: number | null;
  exit_price: number | null;
  isClosed: boolean;
  gross_pnl: number;
  net_pnl: number;
  initial_risk: number | null;
  stop_loss: number | null;
}

export class TradeFacts {
  readonly #user: User;
  readonly #rows: UserRows;
  /** Closing times in order, and the sum of results up to each; read once. */
  #sums: { at: string; net: number }[] | undefined;

  constructor(db: Database.Database, user: User) {
    this.#user = user;
    this.#rows = new UserRows(db, user.id);
  }

  of(id: string): Facts {
    const columns =
      'quantity, multiplier, entry_price, exit_price, status, gross_pnl, net_pnl, initial_risk, stop_loss';
    const rows = this.#rows.where<Facts & { status: string }>(
      `SELECT ${columns} FROM trades`,
      {
        id,
      },
    );
    const { status, ...facts } = rows[0] as Facts & { status: string };
    return { ...facts, isClosed: status === 'closed' };
  }

  /** The user's balance when a trade was entered, or the reason why it is unknown. */
  balanceAt(executed_at: string): number | string {
    const { starting_balance: balance, base_currency, id } = this.#user;
    if (balance === null)
      return `needs a starting balance ("journal-api user set ${id} --starting-balance 10000" sets it)`;

    this.#sums ??= this.#summed(base_currency);
    const now = roundMoney(
      balance + (this.#sums.findLast(({ at }) => at <= executed_at)?.net ?? 0),
    );
    return now > 0 ? now : 'needs a balance above 0';
  }

  #summed(currency: string): { at: string; net: number }[] {
    const rows = this.#rows.all<{ at: string; net: number }>(
      `SELECT closed_at AS at, coalesce(net_pnl * CASE WHEN currency = @currency THEN 1 ELSE fx_rate END, 0) AS net
       FROM trades WHERE user_id = ${USER} AND status = 'closed' ORDER BY closed_at`,
      { currency },
    );
    let sum = 0;

    return rows.map(({ at, net }) => {
      sum += net;
      return { at, net: sum };
    });
  }
}

/** A line for each figure of a note that differs from the fills by more than rounding. */
export function differencesOf(
  facts: Facts,
  figures: readonly NotedFigure[],
  values: Values,
): string[] {
  return figures.flatMap(({ field, figure, line }) => {
    const known = valuesOf(field, facts, values);
    const [first] = known;
    if (first === undefined || known.some((value) => agrees(figure, value))) return [];
    return [
      `${line}: ${field} is ${figure.value} in the note but ${Number(first.toPrecision(12))} by the fills`,
    ];
  });
}

/** Valid values of a figure: P&L may include costs or not. */
function valuesOf(field: NotedFigure['field'], facts: Facts, values: Values): number[] {
  if (field === 'net_pnl') return facts.isClosed ? [facts.net_pnl, facts.gross_pnl] : [];
  if (field !== 'r_multiple') return facts[field] === null ? [] : [facts[field]];

  const risk = values['initial_risk'] ?? facts.initial_risk ?? riskByStop(facts, values);
  if (typeof risk !== 'number' || !(risk > 0) || !facts.isClosed) return [];

  return [facts.net_pnl / risk, facts.gross_pnl / risk];
}

function riskByStop(
  { entry_price, quantity, multiplier, stop_loss }: Facts,
  values: Values,
): number | undefined {
  const stop = values['stop_loss'] ?? stop_loss;
  if (typeof stop !== 'number' || entry_price === null || quantity === null)
    return undefined;
  return Math.abs(entry_price - stop) * quantity * (multiplier ?? 1);
}
