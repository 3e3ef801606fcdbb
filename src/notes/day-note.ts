/** Reads notes of days or single trades. Unreadable parts are reported and don't stop the rest. */
import { basename } from 'node:path';
import { type Problem, RowError } from '../errors.ts';
import { startOfUnit } from '../time.ts';
import { fieldNamed, isOfNote, type Scope } from './day/fields.ts';
import { type Line, labelIn, linesIn } from './day/lines.ts';
import { DayReader } from './day/read-day.ts';
import { Section } from './day/section.ts';
import { ambiguous, dateIn, mondayOf, type NotedDate } from './day/titles.ts';
import { type FrontMatter, readFrontMatter, textIn } from './front-matter.ts';
import type { Note, NotedRecord } from './note.ts';

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
  { file, path, text }: Note,
  context: DayNotesContext,
  skipped: string[],
  unknown: (property: string) => void,
): Omit<NotedDays, 'skipped'> {
  const front = readFrontMatter(text);
  const lines = linesIn(front.body, front.line);
  const stem = basename(path).replaceAll('_', '-');
  const scope = scopeOf(front, lines);
  const named = scope === 'week' ? weekIn(front, stem) : dateIn(stem);
  const own =
    scope === 'session' ? (dateIn(textIn(front.properties.get('date')) ?? '') ?? named) : named;
  const date = context.date ?? (own && 'date' in own ? own.date : undefined);
  const isWhole = scope === 'session' || scope === 'week';
  const reader = new DayReader(
    { file, date, zone: context.zone, scope: scope === 'week' ? scope : 'session' },
    skipped,
  );
  const target = isWhole ? reader.session : new Section(scope, file, 1);
  for (const [name, property] of front.properties) {
    if (scope === 'session' && fieldNamed(name, 'session') === 'date') continue;
    if (scope === 'week' && WEEK_NAMES.includes(name)) continue;
    const isField = target.giveProperty(name, property, front.lines.get(name) ?? 1);
    if (!isField && !isOfNote(name)) unknown(name);
  }
  if (!isWhole) reader.about(target);
  reader.read(lines);
  const records = reader.finish();
  if (records.length === 0) reader.problems.push({ file, line: 1, message: whyNoDay(own) });
  return { records, problems: reader.problems };
}

const WEEK_NAMES = ['week', 'period_start', 'period_end', 'date'];

/** The Monday of a review's week: of its first day, week or date, else of its name (2026-W47). */
function weekIn({ properties }: FrontMatter, name: string): NotedDate | undefined {
  const texts = [...WEEK_NAMES.map((own) => textIn(properties.get(own)) ?? ''), name];
  const found = texts
    .map((text) => mondayOf(text) ?? dateIn(text))
    .find((own) => own !== undefined);
  return found && 'date' in found ? { date: startOfUnit(found.date, 'week') } : found;
}

export function whyNoDay(named: NotedDate | undefined): string {
  if (named && 'unclear' in named) {
    return `${ambiguous(named, 'name the note')}, or pass --date`;
  }
  return 'unknown day; name the note after it, such as 2026-11-20.md, or add date: 2026-11-20 at its top';
}

/** The scope of a whole note: a day, a trade, or a missed trade. */
function scopeOf({ properties }: FrontMatter, lines: readonly Line[]): Scope {
  const names = properties.size > 0 ? [...properties.keys()] : topLabels(lines);
  const fields = new Set(names.map((name) => fieldNamed(name, 'trade')));
  const type = (textIn(properties.get('type')) ?? '').toLowerCase().replaceAll(/[^a-z]/g, '');
  if (type === 'week') return 'week';
  const isTrade =
    fields.has('symbol') && (fields.has('date') || fields.has('time') || names.includes('entries'));
  if (!isTrade) return 'session';
  return properties.has('ismissedtrade') || type === 'missedtrade' ? 'missed' : 'trade';
}

/** Names of plain fields between the title and the first heading. */
function topLabels(lines: readonly Line[]): string[] {
  const first = lines.findIndex(({ kind }) => kind === 'heading');
  const title = first !== -1 && lines[first]?.kind === 'heading' ? first : -1;
  const after = lines.slice(title + 1);
  const end = after.findIndex(({ kind }) => kind === 'heading');
  return after.slice(0, end === -1 ? undefined : end).flatMap(({ raw, kind }) => {
    const label = kind === 'text' ? labelIn(raw) : undefined;
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
