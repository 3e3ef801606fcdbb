/** Finds the trade group that a section of a note is about: a spread is one section. */
import { RowError } from '../../errors.ts';
import { foldCase } from '../../sqlite/functions.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import type { FoundTrade, TradeFinder } from '../find-trade.ts';
import { markOfId, type TradeClues } from '../note.ts';

export interface FoundGroup {
  id: string;
  /** As notes have it: 10:05 SPY iron condor. */
  title: string;
  strategy: string | null;
  opened_at: string;
  closed_at: string | null;
  status: string;
  /** Null, like the next, if legs have several currencies. */
  gross_pnl: number | null;
  net_pnl: number | null;
  initial_risk: number | null;
}

interface StoredGroup extends Omit<FoundGroup, 'title'> {
  name: string;
  underlying: string | null;
}

const BY_ID = `SELECT id, name, underlying, strategy, opened_at, closed_at, status,
  gross_pnl, net_pnl, initial_risk
  FROM trade_group_records WHERE user_id = ${TEXT} AND id = ${TEXT}`;

export class GroupFinder {
  readonly #reader: Reader;
  readonly #user: string;
  readonly #trades: TradeFinder;

  constructor(reader: Reader, user: string, trades: TradeFinder) {
    this.#reader = reader;
    this.#user = user;
    this.#trades = trades;
  }

  /**
   * By its id; else the group whose strategy the heading names, or that has all trades
   * that fit a heading without a side. Undefined if the section is about a trade, or it
   * isn't clear.
   */
  find(clues: TradeClues): FoundGroup | undefined {
    const { id, isGroup } = clues;
    const byId = isGroup && id !== undefined ? this.#byId(id) : undefined;
    if (byId) return byId;
    if (id !== undefined && !isGroup) return undefined;

    return this.#fitting(clues, this.#trades.candidates(clues));
  }

  /**
   * The comment for the only group or trade that fits; undefined if there isn't exactly
   * one.
   */
  markFor(clues: TradeClues): string | undefined {
    const group = this.find(clues);
    if (group) return markOfId(group.id, true);

    try {
      return markOfId(this.#trades.find(clues).id);
    } catch (error) {
      if (error instanceof RowError) return undefined;
      throw error;
    }
  }

  #fitting(
    { side, words = '' }: TradeClues,
    candidates: readonly FoundTrade[],
  ): FoundGroup | undefined {
    const ids = [...new Set(candidates.map(({ group_id }) => group_id))];
    const groups = ids.flatMap((id) => (id === null ? [] : (this.#byId(id) ?? [])));
    const named = groups.filter(
      ({ strategy }) => strategy !== null && isIn(words, strategy),
    );
    if (named.length === 1) return named[0];

    const isWhole = ids.length === 1 && candidates.length > 1 && side === undefined;
    return isWhole ? groups[0] : undefined;
  }

  #byId(id: string): FoundGroup | undefined {
    const row = this.#reader.get<StoredGroup>(BY_ID, this.#user, id);
    if (!row) return undefined;

    const { name, underlying, ...group } = row;
    const { strategy, opened_at } = group;
    const words = strategy === null ? name : `${underlying ?? ''} ${strategy}`.trim();
    return {
      ...group,
      title: `${this.#trades.timeOf({ executed_at: opened_at })} ${words}`,
    };
  }
}

function isIn(words: string, strategy: string): boolean {
  return foldCase(words).includes(foldCase(strategy));
}
