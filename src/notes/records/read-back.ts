/**
 * What becomes of notes, for their reports: which trades and fields were found, what is
 * text.
 */
import type { Problem } from '../../errors.ts';
import { weeklyReviews } from '../../journal/resources/journals.ts';
import type { Values } from '../../journal-write/record.ts';
import { weekName } from '../../time.ts';
import type { FoundTrade, TradeFinder } from '../find-trade.ts';
import type { NotedRecord, ReadBack, StayedText } from '../note.ts';
import type { Attachment } from '../note-pictures.ts';
import { isText } from '../reading/field-names.ts';
import type { FoundGroup } from './find-group.ts';

/** Texts without a name of their own, and what a record is found by. */
const NO_FIELDS = [
  'notes',
  'body',
  'summary',
  'missed_at',
  'symbol',
  'side',
  'attachments',
];

/** What was read of a part. */
interface ReadPart {
  fields: readonly string[];
  /** The line of each. */
  lines: Readonly<Record<string, number>>;
  words: number;
  /** Number of kept pictures. */
  pictures: number;
}

interface Read {
  file: string;
  date: string;
  isWeek: boolean;
  whole: ReadPart | undefined;
  trades: { trade: FoundTrade; part: ReadPart }[];
  /** Of legs: each is one trade to the trader. */
  groups: { id: string; name: string; part: ReadPart }[];
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

  /** Days are in the order of their parts. */
  begin(part: NotedRecord): void {
    this.#of(part);
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

  putGroup(part: NotedRecord, { id, title }: FoundGroup, values: Values): void {
    this.#of(part).groups.push({ id, name: title, part: readPart(part, values) });
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
        groups: [],
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
    const names = this.#finder.namesOf(read.trades.map(({ trade }) => trade));
    const trades = read.trades.map(({ trade: { id }, part }, index) => ({
      id,
      name: names[index] as string,
      part,
    }));
    const sections = [...read.groups, ...trades];
    const parts = [
      ...(whole ? [whole] : []),
      ...sections.map(({ part }) => part),
      ...missed,
    ];

    return {
      file,
      ...(isWeek ? { week: weekName(date) } : { day: date }),
      trades: sections.map(({ id, name, part }) => ({ id, name, fields: stored(part) })),
      fields: whole ? stored(whole) : [],
      missed: missed.length,
      words: parts.reduce((sum, { words }) => sum + words, 0),
      pictures: parts.reduce((sum, { pictures }) => sum + pictures, 0),
      stayed_text: stayed.toSorted((a, b) => a.line - b.line),
    };
  }
}

function readPart({ lines }: NotedRecord, values: Values): ReadPart {
  const texts = Object.entries(values).filter(([name]) => isText(name));
  const attachments = (values['attachments'] ?? []) as Attachment[];
  return {
    fields: Object.keys(values).filter((name) => !NO_FIELDS.includes(name)),
    lines,
    words: texts.reduce((sum, [, text]) => sum + wordsIn(text), 0),
    pictures: attachments.filter(({ width }) => width !== undefined).length,
  };
}

/** Pictures aren't words. */
const PICTURE = /!\[[^\]\n]{0,300}\](?:\]|\([^()\s]{0,2000}\))/g;

function wordsIn(text: unknown): number {
  if (typeof text !== 'string') return 0;
  return text.replaceAll(PICTURE, ' ').match(/[\p{L}\p{N}]\S*/gu)?.length ?? 0;
}
