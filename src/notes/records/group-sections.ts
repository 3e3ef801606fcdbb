/**
 * The trade groups that sections of notes are about: a spread is one section. A group lacks some
 * fields of a trade; these stay in the text.
 */
import { RowError } from '../../errors.ts';
import type { Values } from '../../journal-write/record.ts';
import { foldCase } from '../../sqlite/functions.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import type { FoundTrade, TradeFinder } from '../find-trade.ts';
import { markOfId, type NotedRecord, type StayedText, type TradeClues } from '../note.ts';
import { OF_GROUP, OF_GROUP_ENTRY } from '../reading/stored-fields.ts';
import type { Facts } from './trade-facts.ts';

export interface FoundGroup {
  id: string;
  strategy: string | null;
  opened_at: string;
  closed_at: string | null;
  status: string;
  /** Null, like the next, if legs have several currencies. */
  gross_pnl: number | null;
  net_pnl: number | null;
  initial_risk: number | null;
}

const BY_ID = `SELECT id, strategy, opened_at, closed_at, status,
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
   * By its id; else the group whose strategy the heading names, or that has all trades that fit a
   * heading without a side. Undefined if the section is about a trade, or it isn't clear.
   */
  find(clues: TradeClues): FoundGroup | undefined {
    const { id, isGroup } = clues;
    const byId = isGroup && id !== undefined ? this.#byId(id) : undefined;
    if (byId) return byId;
    if (id !== undefined && !isGroup) return undefined;

    return this.#fitting(clues, this.#trades.candidates(clues));
  }

  /** The comment for the only group or trade that fits; undefined if there isn't exactly one. */
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
    const named = groups.filter(({ strategy }) => strategy !== null && isIn(words, strategy));
    if (named.length === 1) return named[0];

    const isWhole = ids.length === 1 && candidates.length > 1 && side === undefined;
    return isWhole ? groups[0] : undefined;
  }

  #byId(id: string): FoundGroup | undefined {
    return this.#reader.get(BY_ID, this.#user, id) as FoundGroup | undefined;
  }
}

function isIn(words: string, strategy: string): boolean {
  return foldCase(words).includes(foldCase(strategy));
}

/** What the fills state of a group. */
export function factsOfGroup({ status, gross_pnl, net_pnl, initial_risk }: FoundGroup): Facts {
  const hasResult = status === 'closed' && gross_pnl !== null && net_pnl !== null;
  return {
    quantity: null,
    multiplier: null,
    entry_price: null,
    exit_price: null,
    isClosed: hasResult,
    gross_pnl: gross_pnl ?? 0,
    net_pnl: net_pnl ?? 0,
    initial_risk,
    stop_loss: null,
  };
}

/**
 * The values of a group's section, with the lines of fields that a group lacks in its text.
 * @param keep receives these
 */
export function valuesOfGroup(
  { strategy }: FoundGroup,
  part: NotedRecord,
  values: Values,
  keep: (stayed: StayedText) => void,
): Values {
  const { body, ...fields } = values;
  const [known, lacking] = [{} as Values, [] as string[]];
  for (const [name, value] of Object.entries(fields)) {
    if (OF_GROUP.includes(name) || OF_GROUP_ENTRY.includes(name)) known[name] = value;
    else lacking.push(name);
  }

  const kept = lacking.map((name) => {
    const text = part.rawOf?.(name) ?? `${name}:: ${String(values[name])}`;
    const reason = `a position of several legs has no ${name}; write it below a leg`;
    keep({ file: part.file, line: part.lines[name] ?? part.line, text, reason });
    return text;
  });
  const written = typeof body === 'string' ? withoutName(body, part.clues?.words, strategy) : '';
  const text = [...(written === '' ? [] : [written]), ...kept].join('\n');

  return text === '' ? known : { ...known, body: text };
}

/** The text without the words of the heading, if they are the strategy. */
function withoutName(body: string, words = '', strategy: string | null): string {
  const isName = strategy !== null && words !== '' && foldCase(words) === foldCase(strategy);
  const [first = '', ...others] = body.split('\n');
  return isName && first === words ? others.join('\n').trimStart() : body;
}
