/** Reads notes of days or single trades. Unreadable parts are reported and don't stop the rest. */
import { basename } from 'node:path';
import { type Problem, RowError } from '../../../errors.ts';
import { type NotedDays, skip } from '../../fills/reading.ts';
import type { Note } from '../../table/format.ts';
import { type FrontMatter, readFrontMatter, textIn } from '../front-matter.ts';
import { fieldNamed, isOfNote, labelIn, type Scope } from './labels.ts';
import { type Line, linesIn } from './lines.ts';
import { DayReader } from './read-day.ts';
import type { Section } from './section.ts';
import { ambiguous, dateIn, type NotedDate } from './times.ts';
import { TradePart } from './trade-part.ts';

export interface DayNotesContext {
  /** For times without one. */
  zone: string;
  /** From --date. */
  date?: string | undefined;
}

/** Called with each property without a field. */
export type OnUnknown = (property: string) => void;

export function readDays(notes: readonly Note[], context: DayNotesContext, unknown: OnUnknown): NotedDays {
  const read = notes.map((note) => readDayNote(note, context, unknown));
  const skipped = new Map<string, number>();
  for (const own of read) {
    for (const [reason, count] of own.skipped) skipped.set(reason, (skipped.get(reason) ?? 0) + count);
  }
  return { days: read.flatMap(({ days }) => days), problems: read.flatMap(({ problems }) => problems), skipped };
}

export function readDayNote(note: Note, context: DayNotesContext, unknown: OnUnknown = () => {}): NotedDays {
  const skipped = new Map<string, number>();
  if (isTemplate(note)) {
    skip(skipped, 'template');
    return { days: [], problems: [], skipped };
  }
  try {
    return { ...readParts(note, context, skipped, unknown), skipped };
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    return { days: [], problems: [{ file: note.file, line: error.line ?? 1, message: error.message }], skipped };
  }
}

function readParts(
  { file, path, text }: Note,
  context: DayNotesContext,
  skipped: Map<string, number>,
  unknown: OnUnknown,
) {
  const front = readFrontMatter(text);
  const lines = linesIn(front.body, lineOfBody(text, front.body));
  const dayOf = front.properties.get('date');
  const named = dateIn(basename(path).replaceAll('_', '-'));
  const scope = scopeOf(front, lines);
  const own = scope === 'session' ? (dateIn((dayOf && textIn(dayOf)) ?? '') ?? named) : named;
  const date = context.date ?? (own && 'date' in own ? own.date : undefined);
  const reader = new DayReader({ file, date, zone: context.zone }, skipped);
  const target = scope === 'session' ? reader.session : new TradePart(scope, file, 1, undefined, 0);
  giveProperties(front, text, target, unknown);
  if (target instanceof TradePart) reader.about(target);
  reader.read(lines);
  const days = reader.finish();
  const problems: Problem[] = [...reader.problems];
  if (days.length === 0) problems.push({ file, line: 1, message: whyNoDay(own) });
  // A note about one trade is no session.
  return { days: scope === 'session' ? days : days.map((day) => ({ ...day, values: {}, lines: {} })), problems };
}

function whyNoDay(named: NotedDate | undefined): string {
  if (named && 'unclear' in named) {
    return `${ambiguous(named, 'name the note')}, or pass --date`;
  }
  return 'unknown day; name the note after it, such as 2026-11-20.md, or add date: 2026-11-20 at its top';
}

function giveProperties({ properties }: FrontMatter, text: string, target: Section, unknown: OnUnknown): void {
  for (const [name, property] of properties) {
    if (target.scope === 'session' && fieldNamed(name, 'session') === 'date') continue;
    if (name === 'images' ? target.attachFrom(property) : target.giveProperty(name, property, lineOf(text, name)))
      continue;
    if (!isOfNote(name)) unknown(name);
  }
}

function lineOf(text: string, name: string): number {
  const lines = text.slice(0, 20_000).split('\n');
  const squash = (own: string) => own.toLowerCase().replaceAll(/[\s_-]/g, '');
  const at = lines.findIndex((line) => squash(line.slice(0, line.indexOf(':'))) === squash(name));
  return at + 1;
}

function lineOfBody(text: string, body: string): number {
  const at = body === '' ? 0 : text.indexOf(body, text.length - body.length - trailing(text));
  return text.slice(0, Math.max(at, 0)).split('\n').length;
}

function trailing(text: string): number {
  return text.length - text.trimEnd().length;
}

/** The scope of a whole note: a day, a trade, or a missed trade. */
function scopeOf({ properties }: FrontMatter, lines: readonly Line[]): Scope {
  const names = properties.size > 0 ? [...properties.keys()] : topLabels(lines);
  const fields = new Set(names.map((name) => fieldNamed(name, 'trade')));
  const type = squashedType(properties);
  const isTrade = fields.has('symbol') && (fields.has('date') || fields.has('time') || names.includes('entries'));
  if (!isTrade) return 'session';
  return properties.has('ismissedtrade') || type === 'missedtrade' ? 'missed' : 'trade';
}

function squashedType(properties: FrontMatter['properties']): string {
  return (textIn(properties.get('type')) ?? '').toLowerCase().replaceAll(/[^a-z]/g, '');
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

/** Whether a note without a type is about days or trades. */
export function isDayNote(note: Note): boolean {
  const { days } = readDayNote(note, { zone: 'UTC' });
  return days.some(({ trades, missed }) => trades.length > 0 || missed.length > 0);
}

/** Why a note isn't a day note, if its date is ambiguous. */
export function unclearDate({ path }: Note): string | undefined {
  const named = dateIn(basename(path));
  return named && 'unclear' in named ? whyNoDay(named) : undefined;
}
