/**
 * Reads notes of days, weeks or single trades, in two passes: the text becomes blocks,
 * and blocks are given their meaning, which makes the parts of the note. Parts that can't
 * be read are reported and don't stop the rest. The record of each part is found later
 * (find-records.ts).
 */
import { basename } from 'node:path';
import { type Problem, RowError } from '../errors.ts';
import { startOfUnit } from '../time.ts';
import { type FrontMatter, readFrontMatter, textIn } from './front-matter.ts';
import type { Note, NotedRecord } from './note.ts';
import { type NotePictures, withAddresses } from './note-pictures.ts';
import { type Block, blocksIn, CALLOUT_LEVEL } from './reading/blocks.ts';
import { fieldNamed, isOfNote, type Scope } from './reading/field-names.ts';
import { Outline } from './reading/outline.ts';
import { Part } from './reading/part.ts';
import { recordsOf } from './reading/part-records.ts';
import { putProperty } from './reading/properties.ts';
import { readBlocks } from './reading/read-blocks.ts';
import { ambiguous, dateIn, mondayOf, type NotedDate } from './reading/written-dates.ts';

export { tradeFieldNamed, traderName, traderValue } from './reading/trader-values.ts';

export interface DayNotesContext {
  /** For times without one. */
  zone: string;
  /** From --date. */
  date?: string | undefined;
}

/** The parts of a note: each day's session, then its trades and missed trades. */
export interface NotedDays {
  records: NotedRecord[];
  problems: Problem[];
  /** Number of skipped rows and parts, by reason. */
  skipped: Map<string, number>;
}

/** @param unknown called with each property without a field */
export function readDayNote(
  note: Note,
  context: DayNotesContext,
  unknown: (property: string) => void = () => {},
): NotedDays {
  const skipped: string[] = [];
  if (isTemplate(note)) {
    skipped.push('template');
    return { records: [], problems: [], skipped: counted(skipped) };
  }

  try {
    const parts = readParts(note, context, skipped, unknown);
    return { ...parts, skipped: counted(skipped) };
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    return {
      records: [],
      problems: [{ file: note.file, line: error.line ?? 1, message: error.message }],
      skipped: counted(skipped),
    };
  }
}

function counted(reasons: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}

function readParts(
  { file, path, text: written, pictures }: Note,
  context: DayNotesContext,
  skipped: string[],
  unknown: (property: string) => void,
): Omit<NotedDays, 'skipped'> {
  const text = pictures ? withAddresses(written, pictures.kept) : written;
  const front = readFrontMatter(text);
  const blocks = blocksIn(front.body, front.line);
  const name = basename(path).replaceAll('_', '-');
  const scope = scopeOf(front, name, blocks);
  const named = dateOf(front, scope, name);
  const date = context.date ?? (named && 'date' in named ? named.date : undefined);
  const facts = { file, date, scope: scope === 'week' ? scope : 'session' } as const;
  const outline = new Outline(facts, skipped);

  const isWhole = scope === 'trade' || scope === 'missed';
  const part = isWhole ? new Part({ scope, file, line: 1 }) : outline.day.session;
  for (const name of putProperties(part, front)) if (!isOfNote(name)) unknown(name);
  if (isWhole) outline.beginWhole(part);

  readBlocks(blocks, outline);
  const { records, problems } = recordsOf(outline, context.zone);
  if (records.length === 0) problems.push({ file, line: 1, message: whyNoDay(named) });
  if (pictures) showPictures(records, pictures);

  return { records, problems };
}

/**
 * The records of a note with its pictures; what isn't kept stays text of the first day.
 */
function showPictures(
  [first, ...others]: readonly NotedRecord[],
  pictures: NotePictures,
): void {
  if (first) first.stayed = [...(first.stayed ?? []), ...pictures.lost];
  for (const record of first ? [first, ...others] : []) record.pictures = pictures.kept;
}

const NAMES_OF_WEEK = ['week', 'period_start', 'period_end', 'date'];

/** @returns names of properties without a field */
function putProperties(part: Part, { properties, names, lines }: FrontMatter): string[] {
  const isDate = (name: string) =>
    part.scope === 'week'
      ? NAMES_OF_WEEK.includes(name)
      : part.scope === 'session' && fieldNamed(name, 'session') === 'date';
  return [...properties].flatMap(([name, property]) => {
    const written = names.get(name) ?? name;
    const place = { name, written, line: lines.get(name) ?? 1 };
    return isDate(name) || putProperty(part, place, property) ? [] : name;
  });
}

/** The day of a note, or the Monday of its week, by its properties or name. */
function dateOf(front: FrontMatter, scope: Scope, name: string): NotedDate | undefined {
  if (scope === 'week') return weekIn(front, name);
  const noted = scope === 'session' ? textIn(front.properties.get('date')) : undefined;
  return dateIn(noted ?? '') ?? dateIn(name);
}

/**
 * The Monday of a review's week: of its first day, week or date, else of its name
 * (2026-W47).
 */
function weekIn({ properties }: FrontMatter, name: string): NotedDate | undefined {
  const texts = [
    ...NAMES_OF_WEEK.map((noted) => textIn(properties.get(noted)) ?? ''),
    name,
  ];
  const found = texts
    .map((text) => mondayOf(text) ?? dateIn(text))
    .find((noted) => noted !== undefined);
  return found && 'date' in found ? { date: startOfUnit(found.date, 'week') } : found;
}

export function whyNoDay(named: NotedDate | undefined): string {
  if (named && 'unclear' in named) {
    return `${ambiguous(named, 'name the note')}, or pass --date`;
  }
  return 'unknown day; name the note after it, such as 2026-11-20.md, or add date: 2026-11-20 at its top';
}

/** 2026-W47.md */
const NAME_OF_WEEK = /^\d{4}-W\d\d(?:\.(?:md|markdown))?$/i;

/** The scope of a whole note: a day, a week, a trade, or a missed trade. */
function scopeOf(
  { properties }: FrontMatter,
  name: string,
  blocks: readonly Block[],
): Scope {
  const type = (textIn(properties.get('type')) ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '');
  if (type === 'week' || (type === '' && NAME_OF_WEEK.test(name))) return 'week';

  const names = properties.size > 0 ? [...properties.keys()] : topLabels(blocks);
  const fields = new Set(names.map((name) => fieldNamed(name, 'trade')));
  const hasTime = fields.has('date') || fields.has('time') || names.includes('entries');
  if (!fields.has('symbol') || !hasTime) return 'session';

  return properties.has('ismissedtrade') || type === 'missedtrade' ? 'missed' : 'trade';
}

/** Names of plain fields between the title and the next heading. */
function topLabels(blocks: readonly Block[]): string[] {
  const isHeading = (block: Block) =>
    block.kind === 'heading' && block.level < CALLOUT_LEVEL;
  const after = blocks.slice(blocks.findIndex(isHeading) + 1);
  const next = after.findIndex(isHeading);
  return after.slice(0, next === -1 ? undefined : next).flatMap((block) => {
    const label = block.kind === 'text' ? block.label : undefined;
    return label?.form === 'plain' ? [label.name] : [];
  });
}

const TEMPLATE = /<%|\{\{ ?(?:date|title|time|value)/i;

/** A note with a date of its own, unlike a template. */
const DATED = /^---\r?\n(?:type: day\r?\n)?date: \d{4}-\d\d-\d\d/;

function isTemplate({ path, text }: Note): boolean {
  const names = path.toLowerCase().split('/');
  return (
    names.some((name) => /^(?:.{0,60}[ _-])?templates?(?:\.md)?$/.test(name)) ||
    (TEMPLATE.test(text.slice(0, 4000)) && !DATED.test(text.slice(0, 4000)))
  );
}

/** Whether a note without a type is of a day, whatever it holds. */
export function isDayNote(note: Note, date: string | undefined): boolean {
  return readDayNote(note, { zone: 'UTC', date }).records.length > 0;
}
