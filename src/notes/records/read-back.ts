/** What becomes of notes, for their reports: which trades and fields were found, what is text. */
import type { Problem } from '../../errors.ts';
import { weeklyReviews } from '../../journal/resources/weekly-reviews.ts';
import type { Values } from '../../journal-write/record.ts';
import { weekName } from '../../time.ts';
import type { FoundTrade, TradeFinder } from '../find-trade.ts';
import type { NotedRecord, ReadBack, StayedText } from '../note.ts';
import { isText } from '../reading/field-names.ts';

/** Texts without a name of their own, and what a record is found by. */
const NO_FIELDS = ['notes', 'body', 'summary', 'missed_at', 'symbol', 'side'];

/** What was read of a part. */
interface ReadPart {
  fields: readonly string[];
  /** The line of each. */
  lines: Readonly<Record<string, number>>;
  words: number;
}

interface Read {
  file: string;
  date: string;
  isWeek: boolean;
  whole: ReadPart | undefined;
  trades: { trade: FoundTrade; part: ReadPart }[];
  missed: ReadPart[];
  stayed: StayedText[];
}

export class ReadBacks {
  /** By note and day. */
  readonly #read = new Map<string, Read>();
  readonly #finder: TradeFinder;

  constructor(finder: TradeFinder) {
    this.#finder = finder;
  }

  /** The session of a day, or the review of a week. */
  putWhole(part: NotedRecord, values: Values): void {
    const read = this.#of(part);
    read.isWeek = part.resource === weeklyReviews;
    read.whole = readPart(part, values);
  }

  putTrade(part: NotedRecord, trade: FoundTrade, values: Values): void {
    this.#of(part).trades.push({ trade, part: readPart(part, values) });
  }

  putMissed(part: NotedRecord): void {
    this.#of(part).missed.push(readPart(part, part.values));
  }

  putStayed(part: NotedRecord, stayed: StayedText): void {
    this.#of(part).stayed.push(stayed);
  }

  #of({ file, date }: NotedRecord): Read {
    const key = `${file} ${date}`;
    let read = this.#read.get(key);
    if (!read) {
      read = {
        file,
        date,
        isWeek: false,
        whole: undefined,
        trades: [],
        missed: [],
        stayed: [],
      };
      this.#read.set(key, read);
    }

    return read;
  }

  /** @param problems those of fields, which then weren't stored */
  all(problems: readonly Problem[]): ReadBack[] {
    const wrong = new Set(problems.map(({ file, line }) => `${file}:${line}`));
    return [...this.#read.values()].map((read) => this.#readBack(read, wrong));
  }

  #readBack(read: Read, wrong: ReadonlySet<string>): ReadBack {
    const { file, date, isWeek, whole, missed, stayed } = read;
    const stored = ({ fields, lines }: ReadPart) =>
      fields.filter((name) => !wrong.has(`${file}:${lines[name]}`));
    const parts = [...(whole ? [whole] : []), ...read.trades.map(({ part }) => part), ...missed];
    const names = this.#finder.namesOf(read.trades.map(({ trade }) => trade));

    return {
      file,
      ...(isWeek ? { week: weekName(date) } : { day: date }),
      trades: read.trades.map(({ trade, part }, index) => ({
        id: trade.id,
        name: names[index] as string,
        fields: stored(part),
      })),
      fields: whole ? stored(whole) : [],
      missed: missed.length,
      words: parts.reduce((sum, { words }) => sum + words, 0),
      pictures: 0,
      stayed_text: stayed.toSorted((a, b) => a.line - b.line),
    };
  }
}

function readPart({ lines }: NotedRecord, values: Values): ReadPart {
  const texts = Object.entries(values).filter(([name]) => isText(name));
  return {
    fields: Object.keys(values).filter((name) => !NO_FIELDS.includes(name)),
    lines,
    words: texts.reduce((sum, [, text]) => sum + wordsIn(text), 0),
  };
}

function wordsIn(text: unknown): number {
  return typeof text === 'string' ? (text.match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0) : 0;
}
