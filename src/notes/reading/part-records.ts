/** The parts of a note as records, whose place in the journal is still to be found. */
import type { Problem } from '../../errors.ts';
import type { ListResource } from '../../journal/resource.ts';
import { missedTrades } from '../../journal/resources/missed-trades.ts';
import { sessions } from '../../journal/resources/sessions.ts';
import { tradeGroups } from '../../journal/resources/trade-groups.ts';
import { trades } from '../../journal/resources/trades.ts';
import { weeklyReviews } from '../../journal/resources/weekly-reviews.ts';
import type { Values } from '../../journal-write/record.ts';
import { figureIn } from '../../parse/cells.ts';
import { parseLocal, toInstantText } from '../../time.ts';
import { tagsIn } from '../front-matter.ts';
import type { NotedFigure, NotedRecord, TradeClues } from '../note.ts';
import type { Scope } from './field-names.ts';
import { missTypeOf, outcomeOf, printedResultIn, rIn } from './field-values.ts';
import type { Day, Outline } from './outline.ts';
import { misspeltIn, type Part } from './part.ts';
import { NEEDS_OF_MISSED, whyNoSection } from './stayed-text.ts';
import { clockIn, clockText, dateIn } from './written-dates.ts';

const RESOURCES: Record<Scope, ListResource> = {
  session: sessions,
  trade: trades,
  missed: missedTrades,
  week: weeklyReviews,
};

/** A part that names a trade, by what it states of it. */
interface NamedPart {
  part: Part;
  clues: TradeClues;
}

/** The parts of a note as records, and what is wrong with them. */
export interface NotedParts {
  records: NotedRecord[];
  problems: Problem[];
}

/**
 * The records of a note: each day begins with its session.
 * @param zone for times without one
 */
export function recordsOf({ days, facts }: Outline, zone: string): NotedParts {
  const problems: Problem[] = [];
  const records = days.flatMap((day) => {
    const date = day.date ?? facts.date;
    const named = namedIn(day, date, zone);
    const all = day.missed.map((part) => ({ part, clues: cluesOf(part, date, zone) }));
    const missed = all.filter(hasFacts);
    const dated = date ?? named[0]?.clues.day ?? all[0]?.clues.day;

    // A note about one missed trade has no session to be text of.
    const lacking = all.filter((entry) => entry.part.isWholeNote && !hasFacts(entry));
    for (const { part } of lacking) part.problem(part.line, NEEDS_OF_MISSED);

    const sure = [...missed, ...lacking].map(({ part }) => part).concat(day.session);
    for (const part of sure) for (const problem of part.problems) problems.push(problem);
    if (dated === undefined) return [];

    const ofTrades = named.map((part) => tradeOf(part, dated));
    const ofMissed = missed.map((part) => missedOf(part, dated));
    return [sessionOf(day, named, missed, dated), ...ofTrades, ...ofMissed];
  });
  return { records, problems };
}

function namedIn(day: Day, date: string | undefined, zone: string): NamedPart[] {
  return day.trades.flatMap((part): NamedPart | [] => {
    const clues = cluesOf(part, date, zone);
    return namesTrade(part, clues) ? { part, clues } : [];
  });
}

/** The session, with the text of sections that name no trade and no missed trade. */
function sessionOf(
  { session, trades: all, missed: allMissed, stayed }: Day,
  named: readonly NamedPart[],
  missed: readonly NamedPart[],
  date: string,
): NotedRecord {
  const naming = new Set([...named, ...missed].map(({ part }) => part));
  const texts = [...all, ...allMissed].filter((part) => !naming.has(part));
  const record = recordOf(session, date, new Set(texts));
  record.stayed = [...stayed, ...texts.map(whyNoSection)];
  record.notesWith = (lines) => {
    const also = named.flatMap(({ part }) => (lines.has(part.line) ? part : []));
    const { notes } = recordOf(session, date, new Set([...texts, ...also])).values;
    return (notes ?? null) as string | null;
  };
  // A note about one trade is no session.
  if ([...all, ...allMissed].some((part) => part.isWholeNote)) record.values = {};

  return record;
}

function tradeOf({ part, clues }: NamedPart, date: string): NotedRecord {
  const record = recordOf(part, date);
  if (clues.isGroup) record.resource = tradeGroups;
  record.clues = clues;
  record.rawOf = (field) => rawOf(part, field);
  record.figures = figuresOf(part);
  record.attachments = [...part.pictures.values()];
  record.problems = part.problems;
  if (!part.isWholeNote) record.heading = part.raw[0] ?? '';

  return record;
}

/**
 * The line of a field, which lies below the heading unless the section has a second one.
 */
function rawOf({ raw, line, lines }: Part, field: string): string | undefined {
  const text = raw[(lines[field] ?? line) - line]?.trim();
  return text?.includes(':') ? text : undefined;
}

/** Whether a missed trade has what its record needs; else it is text. */
function hasFacts({ clues: { at, symbol, side } }: NamedPart): boolean {
  return at !== undefined && symbol !== undefined && side !== undefined;
}

function missedOf({ part, clues }: NamedPart, date: string): NotedRecord {
  const { at, symbol, side } = clues;
  const record = recordOf(part, date);
  const { reason, notes, miss_type, hypothetical_outcome } = record.values;
  record.values = {
    missed_at: toInstantText(at as number),
    symbol,
    side,
    ...record.values,
    miss_type: miss_type ?? missTypeOf(String(reason ?? notes ?? '')),
    hypothetical_outcome: hypothetical_outcome ?? outcomeOf(record.values),
  };

  return record;
}

/** @param texts parts that are text */
function recordOf(
  part: Part,
  date: string,
  texts: ReadonlySet<Part> = new Set(),
): NotedRecord {
  const { file, line, scope } = part;
  const values: Values = { ...part.values };
  let textTags: string[] = [];

  for (const [field, lines] of part.texts) {
    const text = textOf(flat(lines, texts));
    if (text === null || values[field] !== undefined) continue;

    values[field] = text;
    keepPictures(part, text);
    if (field === part.textField && scope !== 'week') textTags = tagsIn(text);
  }

  // #words are tags unless tags are named.
  if (textTags.length > 0) values['tags'] ??= textTags;
  const near = misspeltIn(part);
  const record: Omit<NotedRecord, 'lines'> = {
    file,
    line,
    resource: RESOURCES[scope],
    date,
    values,
    ...(near.length > 0 && { misspelt: near }),
  };
  const lines = { ...part.lines };

  return textTags.length > 0 ? { ...record, lines, textTags } : { ...record, lines };
}

const LONGEST = 100_000;
const PICTURE = /!\[([^\][\n]{0,300})\]\((https?:\/\/[^\s()]{1,2000})\)/g;

function keepPictures({ pictures }: Part, text: string): void {
  for (const [, caption, url = ''] of text.slice(0, LONGEST).matchAll(PICTURE))
    if (!pictures.has(url)) pictures.set(url, { url, caption: caption || null });
}

/** The lines with those of the parts that are text. */
function flat(lines: readonly (string | Part)[], texts: ReadonlySet<Part>): string[] {
  let last: Part | undefined;
  return lines.flatMap((line) => {
    if (typeof line === 'string') return line;
    if (!texts.has(line)) return [];

    // Rows of one table need its head once.
    const head = last?.head === line.head ? [] : line.head;
    last = line;
    return [...head, ...line.raw];
  });
}

/**
 * The user's lines without empty lines and rules around them; null if nothing else is
 * left.
 */
function textOf(lines: readonly string[]): string | null {
  const first = lines.findIndex((line) => !isEdge(line));
  const last = lines.findLastIndex((line) => !isEdge(line));
  // A removed field between two empty lines leaves one of them.
  const left = lines
    .slice(Math.max(first, 0), last + 1)
    .filter((line, index, all) => line.trim() !== '' || all[index - 1]?.trim() !== '');
  return left.length === 0 ? null : left.join('\n').trimEnd();
}

function isEdge(line: string): boolean {
  return line.length < 100 && /^[ \t]*(?:-{3,}[ \t]*)?$/.test(line);
}

// What a part states about its trade.

/** @param day of the note, for times without a date */
function cluesOf(
  { facts, title }: Part,
  day: string | undefined,
  zone: string,
): TradeClues {
  const fact = (name: string) => facts.get(name)?.text ?? '';
  const found = dateIn(fact('date')) ?? dateIn(fact('time'));
  const date = found && 'date' in found ? found.date : day;
  const clock =
    clockIn(fact('time'))?.clock ?? clockIn(fact('date'))?.clock ?? title?.clock;
  const number = Number(
    /\d{1,3}/.exec(fact('number'))?.[0] ?? title?.number ?? Number.NaN,
  );

  return {
    id: title?.id,
    isGroup: title?.isGroup === true,
    symbol: symbolIn(fact('symbol')) ?? title?.symbol,
    side: sideIn(fact('side')) ?? title?.side,
    at:
      clock && date !== undefined
        ? parseLocal(`${date} ${clockText(clock)}`, clock.zone ?? zone)
        : undefined,
    day: date,
    entryPrice: figureIn(fact('entry')),
    number: Number.isInteger(number) ? number : undefined,
    countsAll: title?.countsSymbol !== true,
    words: title?.rest,
  };
}

function symbolIn(text: string): string | undefined {
  const symbol = text.trim().replace(/^[$/#]/, '');
  return /^[\p{L}\p{N}./_!:-][\p{L}\p{N}./_!: -]{0,40}$/u.test(symbol)
    ? symbol
    : undefined;
}

/** Undefined for LONG / SHORT, as in templates. */
function sideIn(text: string): string | undefined {
  const isLong = /\b(?:long|buy|bought)\b/i.test(text);
  const isShort = /\b(?:short|sell|sold)\b/i.test(text);
  if (isLong === isShort) return undefined;
  return isLong ? 'long' : 'short';
}

/**
 * Whether a part names a trade: by id, by time with symbol or side, or by symbol with a
 * side, a number or a field below it. Else it is text, whatever the journal has.
 */
function namesTrade(
  part: Part,
  { id, symbol, side, at, number, day }: TradeClues,
): boolean {
  if (id !== undefined) return true;
  if (at !== undefined) return symbol !== undefined || side !== undefined;
  if (symbol === undefined || day === undefined) return false;

  const hasFields = Object.keys(part.values).length + part.facts.size > 0;
  return part.isWholeNote || number !== undefined || side !== undefined || hasFields;
}

/** Facts that are compared with those of the trade. */
const COMPARED: readonly (readonly [NotedFigure['field'], fact: string])[] = [
  ['entry_price', 'entry'],
  ['exit_price', 'exit'],
  ['quantity', 'quantity'],
  ['net_pnl', 'pnl'],
  ['r_multiple', 'r'],
];

function figuresOf({ facts }: Part): NotedFigure[] {
  const figures = COMPARED.flatMap(([field, name]): NotedFigure | [] => {
    const fact = facts.get(name);
    const figure = fact && (field === 'r_multiple' ? rIn : figureIn)(fact.text);
    return figure ? { field, figure, line: fact.line } : [];
  });
  if (figures.some(({ field }) => field === 'net_pnl')) return figures;

  const result = facts.get('result');
  const printed = result && printedResultIn(result.text);
  return printed
    ? [{ field: 'net_pnl', figure: printed, line: result.line }, ...figures]
    : figures;
}
