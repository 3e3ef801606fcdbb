/** A fill as a line of text: 2025-10-01 09:31 buy 30 ONDS 7.39. */
import { RowError } from '../../errors.ts';
import { readWritten } from '../../import/fills/written-times.ts';
import { type Cell, numberIn, positiveIn } from '../../parse/cells.ts';
import { dateIn, instantIn } from '../../parse/times.ts';
import type { FillEffect } from '../../statements/fill-row.ts';
import {
  fromInstantText,
  localText,
  parseLocal,
  toInstantText,
  ZoneClock,
} from '../../time.ts';

export interface TypedFill {
  line: number;
  symbol: string;
  side: 'buy' | 'sell';
  effect: FillEffect | null;
  quantity: number;
  price: number;
  /** UTC text; the start of a day without a time. */
  executedAt: string;
  hasTime: boolean;
  /** Date and time as typed, without a zone; '' if an offset follows. */
  clock: string;
}

export interface LineSettings {
  /** Of times without an offset. */
  zone: string;
  /** The user's, in which days begin. */
  userZone: string;
  /** Epoch milliseconds. */
  now: number;
}

const EXAMPLE = '2025-10-01 09:31 buy 30 ONDS 7.39';

/** Longer lines aren't fills. */
const LONGEST = 300;

const UNSEEN = /[\p{Cc}\p{Bidi_Control}]/u;

const WORD = /"([^"]*)"|'([^']*)'|([^\s"']+)/y;

/** @throws RowError that names what is wrong */
export function fillOfLine(
  text: string,
  line: number,
  settings: LineSettings,
): TypedFill {
  const words = new Words(wordsOf(text, line), line);
  const time = timeOf(words, settings);
  const { side, effect } = sideOf(words);
  const quantity = positiveIn(words.next('quantity'));
  const { text: symbol } = words.next('symbol');
  const price = numberIn(words.next('price'));
  words.end();

  return { line, symbol, side, effect, quantity, price, ...time };
}

function wordsOf(text: string, line: number): string[] {
  const fault = (reason: string) =>
    new RowError(null, `${reason}; a fill is a line such as ${EXAMPLE}`, line);
  if (text.length > LONGEST) throw fault(`is longer than ${LONGEST} characters`);

  const typed = text.replaceAll('\t', ' ').trim();
  if (UNSEEN.test(typed)) throw fault('has control characters');

  const words: string[] = [];
  for (let from = 0; from < typed.length; ) {
    WORD.lastIndex = from;
    const [whole = '', ...parts] = WORD.exec(typed) ?? [];
    const next = from + whole.length;
    // A word ends at a space.
    if (whole === '' || !(next === typed.length || typed[next] === ' '))
      throw fault('has an open quotation mark, or no space beside one');

    words.push(parts.find((part) => part !== undefined) ?? '');
    from = next;
    while (typed[from] === ' ') from++;
  }

  return words;
}

/** The words of a line, taken one by one. */
class Words {
  readonly #words: readonly string[];
  readonly #line: number;
  #at = 0;

  constructor(words: readonly string[], line: number) {
    this.#words = words;
    this.#line = line;
  }

  next(column: string): Cell {
    const text = this.#words[this.#at++]?.trim() ?? '';
    if (text !== '') return { text, column, line: this.#line };
    throw new RowError(
      column,
      `is missing; a fill is a line such as ${EXAMPLE}`,
      this.#line,
    );
  }

  /** Takes the next word if it matches. */
  nextIf(pattern: RegExp): string | undefined {
    const word = this.#words[this.#at];
    if (word === undefined || !pattern.test(word)) return undefined;
    this.#at++;
    return word.toLowerCase();
  }

  end(): void {
    const more = this.#words.slice(this.#at);
    if (more.length === 0) return;

    throw new RowError(
      null,
      `unexpected "${more.join(' ')}"; a symbol with spaces needs quotation marks, ` +
        'and fees are an option: --fees 1',
      this.#line,
    );
  }
}

type TypedTime = Pick<TypedFill, 'executedAt' | 'hasTime' | 'clock'>;

function timeOf(words: Words, settings: LineSettings): TypedTime {
  const date = words.next('time');
  const hours = date.text.includes('T') ? undefined : words.nextIf(/^\d\d?:\d\d/);
  const half = hours === undefined ? undefined : words.nextIf(/^[ap]\.?m\.?$/i);
  const text = [date.text, hours, half].filter((part) => part !== undefined).join(' ');
  const cell = { ...date, text };
  const time =
    text === date.text && !text.includes('T')
      ? dayIn(cell, settings)
      : momentIn(cell, settings);

  if (fromInstantText(time.executedAt) <= settings.now) return time;
  throw new RowError('time', `${text} is in the future`, cell.line);
}

function dayIn(cell: Cell, { userZone }: LineSettings): TypedTime {
  const clock = dateIn(cell, 'ymd');
  const executedAt = toInstantText(new ZoneClock(userZone).startOfDay(clock));
  return { executedAt, hasTime: false, clock };
}

/** @throws RowError for a time that clocks skip */
function momentIn(cell: Cell, { zone }: LineSettings): TypedTime {
  const text = instantIn(cell, 'ymd', `[!${zone}]`);
  const clock = readWritten(text)?.clock;
  if (clock === undefined) return { executedAt: text, hasTime: true, clock: '' };

  const executedAt = toInstantText(parseLocal(clock, zone) as number);
  if (localText(executedAt, zone) === clock) return { executedAt, hasTime: true, clock };
  throw new RowError(
    'time',
    `${cell.text} doesn't exist in ${zone}: clocks skip it`,
    cell.line,
  );
}

/** buy, sell, sell short, buy to open, sell to close, and so on. */
function sideOf(words: Words): Pick<TypedFill, 'side' | 'effect'> {
  const cell = words.next('side');
  const side = cell.text.toLowerCase();
  if (side !== 'buy' && side !== 'sell')
    throw new RowError('side', `must be buy or sell; got "${cell.text}"`, cell.line);
  if (side === 'sell' && words.nextIf(/^short$/i) !== undefined)
    return { side, effect: 'open' };
  if (words.nextIf(/^to$/i) === undefined) return { side, effect: null };

  const effect = words.next('side');
  const stated = effect.text.toLowerCase();
  if (stated === 'open' || stated === 'close') return { side, effect: stated };

  throw new RowError(
    'side',
    `must be ${side}, ${side} to open or ${side} to close; got "${side} to ${effect.text}"`,
    cell.line,
  );
}
