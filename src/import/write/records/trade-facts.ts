/** Facts of trades in the journal, for comparison with the user's notes. */
import type Database from 'better-sqlite3';
import type { User } from '../../../journal/journal.ts';
import type { Values } from '../../../journal-write/record.ts';
import { roundMoney } from '../../../money.ts';
import { TEXT } from '../../../sqlite/reader.ts';
import type { NotedFigure } from '../../fills/reading.ts';
import { agrees } from '../../parse/numbers.ts';
import type { FoundTrade } from '../find-trade.ts';

interface Facts {
  quantity: number;
  multiplier: number;
  entry_price: number;
  exit_price: number | null;
  gross_pnl: number;
  net_pnl: number;
  initial_risk: number | null;
  stop_loss: number | null;
}

export class TradeFacts {
  readonly #user: User;
  readonly #facts: Database.Statement;
  readonly #before: Database.Statement;
  readonly #market: Database.Statement;
  readonly #markets: Database.Statement;

  constructor(db: Database.Database, user: User) {
    this.#user = user;
    this.#facts = db.prepare(
      `SELECT quantity, multiplier, entry_price, exit_price, gross_pnl, net_pnl, initial_risk, stop_loss
       FROM trades WHERE user_id = ${TEXT} AND id = ${TEXT}`,
    );
    this.#before = db.prepare(
      `SELECT coalesce(sum(net_pnl * CASE WHEN currency = ${TEXT} THEN 1 ELSE fx_rate END), 0) AS net
       FROM trades WHERE user_id = ${TEXT} AND status = 'closed' AND closed_at <= ${TEXT}`,
    );
    this.#market = db
      .prepare(
        `SELECT market FROM trades WHERE user_id = ${TEXT} AND (symbol = ? COLLATE NOCASE OR underlying = ? COLLATE NOCASE)
         ORDER BY executed_at DESC LIMIT 1`,
      )
      .pluck();
    this.#markets = db.prepare(`SELECT DISTINCT market FROM trades WHERE user_id = ${TEXT} LIMIT 2`).pluck();
  }

  of(id: string): Facts {
    return this.#facts.get(this.#user.id, id) as Facts;
  }

  /** The user's balance when a trade was entered, or the reason why it is unknown. */
  balanceAt({ executed_at }: FoundTrade): number | string {
    const { starting_balance: balance, base_currency, id } = this.#user;
    if (balance === null)
      return `needs a starting balance ("journal-api user set ${id} --starting-balance 10000" sets it)`;
    const { net } = this.#before.get(base_currency, this.#user.id, executed_at) as { net: number };
    const now = roundMoney(balance + net);
    return now > 0 ? now : 'needs a balance above 0';
  }

  marketOf(symbol: string): string | undefined {
    return this.#market.get(this.#user.id, symbol, symbol) as string | undefined;
  }

  onlyMarket(): string | undefined {
    const [only, ...more] = this.#markets.all(this.#user.id) as string[];
    return more.length === 0 ? only : undefined;
  }
}

/** A line for each figure of a note that differs from the fills by more than rounding. */
export function differencesOf(facts: Facts, figures: readonly NotedFigure[], values: Values): string[] {
  return figures.flatMap(({ field, figure, line }) => {
    const known = valuesOf(field, facts, values);
    const [first] = known;
    if (first === undefined || known.some((value) => agrees(figure, value))) return [];
    return [`${line}: ${field} is ${figure.value} in the note but ${Number(first.toPrecision(12))} by the fills`];
  });
}

/** Valid values of a figure: P&L may include costs or not. */
function valuesOf(field: NotedFigure['field'], facts: Facts, values: Values): number[] {
  if (field === 'net_pnl') return facts.exit_price === null ? [] : [facts.net_pnl, facts.gross_pnl];
  if (field !== 'r_multiple') return facts[field] === null ? [] : [facts[field]];
  const own = values['stop_loss'] ?? facts.stop_loss;
  const byStop =
    typeof own === 'number' ? Math.abs(facts.entry_price - own) * facts.quantity * facts.multiplier : undefined;
  const risk = values['initial_risk'] ?? facts.initial_risk ?? byStop;
  if (typeof risk !== 'number' || !(risk > 0) || facts.exit_price === null) return [];
  return [facts.net_pnl / risk, facts.gross_pnl / risk];
}
