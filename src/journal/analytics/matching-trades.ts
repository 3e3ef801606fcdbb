/** The closed trades that meet a condition on dimensions, for lists: those that a row of figures counts. */
import type { Reader } from '../../sqlite/reader.ts';
import { ZoneClock } from '../../time.ts';
import type { User } from '../journal.ts';
import type { ClosedTrade } from './closed-trade.ts';
import { visitClosedTrades } from './closed-trades.ts';
import { type Clause, Condition } from './condition.ts';

/** @returns their ids */
export function* matchingTrades(reader: Reader, user: User, clauses: readonly Clause[]): Generator<void, Set<string>> {
  const condition = new Condition(clauses, new ZoneClock(user.timezone));
  const ids = new Set<string>();
  // A condition sees trades without an exchange rate, too.
  const where = {
    columns: condition.columns,
    matches(trade: ClosedTrade) {
      if (condition.matches(trade)) ids.add(trade.id);
      return false;
    },
  };
  yield* visitClosedTrades(reader, user, { range: { from: null, to: null }, filters: {}, unit: 'trade', where }, []);
  return ids;
}
