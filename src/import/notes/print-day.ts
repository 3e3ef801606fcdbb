/** Prints the note of a day so that importing it changes nothing. Values that plain text would change are printed exactly. */
import { same, type Values } from '../../journal-write/record.ts';
import { fromInstantText, toInstantText, ZoneClock } from '../../time.ts';
import type { NotedRecord } from '../fills/reading.ts';
import type { TradeFinder } from '../write/find-trade.ts';
import type { StoredDay, StoredMissed, StoredTrade } from '../write/stored-day.ts';
import { linesIn } from './day/lines.ts';
import { readDayNote } from './day/read-days.ts';
import { titleIn } from './day/titles.ts';
import { printedResultIn } from './day/values.ts';

/** Fields of every section, in order; others only with a value. */
const ALWAYS = 'setup stop_loss take_profit initial_risk tags mistakes rating emotions followed_plan rules'.split(' ');
const SOMETIMES = 'timeframe confidence execution_rating went_well went_wrong lesson'.split(' ');

const PROPERTIES = 'mood energy sleep_hours tags'.split(' ');
const MORE_PROPERTIES =
  'name market_context.bias market_context.condition review.followed_plan review.rating review.mistakes'.split(' ');

/** Headings of the session's texts, before and after the trades. */
const BEFORE: readonly (readonly [string, string])[] = [['plan', 'Plan']];
const AFTER: readonly (readonly [string, string])[] = [
  ['review.went_well', 'Went well'],
  ['review.went_wrong', 'Went wrong'],
  ['review.lesson', 'Lesson'],
];

/** Forms of values: plain; texts between markers and lists in JSON; all in JSON. */
export const FORMS = ['plain', 'marked', 'json'] as const;
export type Form = (typeof FORMS)[number];

/** @param zone of the times in headings */
export function printDay(day: StoredDay, zone: string): string {
  const [before, after] = sessionParts(day);
  const sections = day.trades.map((trade) => printTrade(trade, day.date, zone));
  return [
    before,
    ...sections,
    after,
    '## Missed trades',
    ...day.missed.map((own) => printMissed(own, day.date, zone)),
    '',
  ].join('\n');
}

const OF_MISSED = 'setup reason miss_type hypothetical_r'.split(' ');

/** The section of a missed trade; nothing if no form of it would be read back as the same. */
function printMissed(missed: StoredMissed, date: string, zone: string): string {
  const { missed_at, symbol, side, notes, ...values } = missed;
  const heading = `### ${clockOf(missed_at, zone, true)} ${symbol} ${side}`;
  const names = [...OF_MISSED, ...Object.keys(values).filter((name) => !OF_MISSED.includes(name))];
  for (const form of FORMS) {
    const lines = names.map((name) => lineOf(name, values[name], form));
    const text = notes === undefined ? [] : ['', textOf('notes', notes as string, form)];
    const section = `\n${[heading, ...lines, ...text].join('\n')}`;
    const [, own, ...others] = readAs(
      `---\ntype: day\ndate: ${date}\n---\n## Missed trades\n${section}\n### 12:00 X long\n`,
      date,
      zone,
    );
    if (own && others.length === 1 && isSame(own.values, missed)) return section;
  }
  return '';
}

function clockOf(instant: string, zone: string, hasSeconds: boolean): string {
  const at = fromInstantText(instant);
  const local = toInstantText(at + new ZoneClock(zone).offsetAt(at));
  return local.slice(11, hasSeconds && local.slice(17, 19) !== '00' ? 19 : 16);
}

/** A note with the results of trades that closed since: in result:: lines of the printed form, or empty, below a heading with our id. */
export function withResults(text: string, day: StoredDay): { text: string; changed: string[] } {
  const results = new Map(day.trades.map(({ id, result }) => [id, result]));
  const lines = text.split('\n');
  const changed: string[] = [];
  let id: string | undefined;
  for (const line of linesIn(text, 1)) {
    if (line.kind === 'heading') id = titleIn(line.title)?.id;
    const result = id === undefined || line.kind !== 'text' ? undefined : results.get(id);
    const [, before] = /^result::(?: (.*))?$/.exec(line.raw) ?? [undefined, null];
    if (result === undefined || before === null) continue;
    // The first such line only.
    const place = id;
    id = undefined;
    if (before === result || (before !== undefined && !printedResultIn(before))) continue;
    const end = lines[line.number - 1]?.endsWith('\r') ? '\r' : '';
    lines[line.number - 1] = `result:: ${result}${end}`;
    changed.push(`result of ${place}: ${before ?? 'none'} is now ${result}`);
  }
  return { text: lines.join('\n'), changed };
}

/** The section of a trade, in the plainest form that is read back unchanged. */
function printTrade(trade: StoredTrade, date: string, zone: string): string {
  const heading = headingOf(trade, zone);
  for (const form of FORMS) {
    const section = `${heading}\nresult::${trade.result === undefined ? '' : ` ${trade.result}`}\n${sectionOf(trade.values, form)}`;
    if (form === 'json' || isReadBack(section, trade, date)) return section;
  }
  throw new Error('no form is left');
}

function headingOf({ id, symbol, side, executed_at }: StoredTrade, zone: string): string {
  const named = symbol.replaceAll(/[^\p{L}\p{N}./_!: -]/gu, '');
  return `## ${clockOf(executed_at, zone, false)} ${named} ${side} <!-- t:${id} -->`;
}

function sectionOf(values: Values, form: Form): string {
  const fields = [...ALWAYS, ...SOMETIMES.filter((field) => values[field] !== undefined)];
  const lines = fields.map((field) => lineOf(field === 'initial_risk' ? 'risk' : field, values[field], form));
  const body = values['body'] === undefined ? [] : ['', textOf('body', values['body'] as string, form)];
  return `${[...lines, ...body].join('\n')}\n`;
}

function lineOf(name: string, value: unknown, form: Form): string {
  if (value === undefined) return `${name}::`;
  if (typeof value === 'string' && form === 'marked' && value.includes('\n')) return textOf(name, value, form);
  return `${name}:: ${valueText(value, form)}`;
}

function valueText(value: unknown, form: Form): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (form !== 'plain') return JSON.stringify(value);
  if (!Array.isArray(value)) return String(value);
  return value.every((item) => typeof item === 'string') ? value.join(', ') : value.map(ruleText).join('; ');
}

function ruleText({ rule, followed }: { rule: string; followed: boolean | null }): string {
  return followed === null ? rule : `${rule} = ${followed ? 'yes' : 'no'}`;
}

export function textOf(field: string, text: string, form: Form): string {
  if (form === 'plain') return text;
  if (form === 'json') return `${field}:: ${JSON.stringify(text)}`;
  const lines = new Set(text.split('\n'));
  let name = field;
  for (let n = 2; lines.has(`<!-- end of ${name} -->`); n++) name = `${field} ${n}`;
  return `<!-- ${name} -->\n${text}\n<!-- end of ${name} -->`;
}

/** Whether a section, with more text below it, is read back as the trade. */
function isReadBack(section: string, { id, values, attached }: StoredTrade, date: string): boolean {
  const [day, trade, ...others] = readAs(`---\ntype: day\n---\n${section}\n## Plan\nmore`, date);
  if (!day || !trade || others.length > 0 || trade.clues?.id !== id || !isSame(day.values, { plan: 'more' }))
    return false;
  return isSame(trade.values, values) && (trade.attachments ?? []).every(({ url }) => attached.has(url));
}

/** @returns nothing unless all can be read */
function readAs(text: string, date: string, zone = 'UTC'): NotedRecord[] {
  const { records, problems } = readDayNote({ file: '', path: `${date}.md`, text }, { zone });
  return problems.length === 0 ? records : [];
}

export function isSame(read: Values, stored: Values): boolean {
  const names = Object.keys(stored);
  return names.length === Object.keys(read).length && names.every((name) => same(read[name], stored[name]));
}

/** The session's text before and after the trades, in the plainest form that is read back unchanged. */
function sessionParts({ date, session }: StoredDay): [before: string, after: string] {
  for (const form of FORMS) {
    const parts = partsOf(date, session, form);
    if (form === 'json' || isSession(parts, session, date)) return parts;
  }
  throw new Error('no form is left');
}

function isSession([before, after]: readonly [string, string], session: Values, date: string): boolean {
  const [day, trade, ...others] = readAs(
    `${before}\n## 12:00 X long <!-- t:x -->\nmore\n${after}\n## Missed trades\n`,
    date,
  );
  return day !== undefined && others.length === 0 && trade?.values['body'] === 'more' && isSame(day.values, session);
}

function partsOf(date: string, session: Values, form: Form): [string, string] {
  const properties = [...PROPERTIES, ...MORE_PROPERTIES.filter((name) => session[name] !== undefined)].map((name) => {
    const value = session[name];
    return value === undefined ? `${name}:` : `${name}: ${propertyText(value, form)}`;
  });
  const front = ['---', 'type: day', `date: ${date}`, ...properties, '---'];
  const texts = (named: readonly (readonly [string, string])[]) =>
    named.flatMap(([field, title]) => [`## ${title}`, ...sessionText(field, session[field], form), '']);
  const notes = session['notes'] === undefined ? [] : texts([['notes', 'Notes']]);
  const before = [...front, ...texts(BEFORE), ...goalLines(session['goals'], form)];
  return [before.join('\n'), [...texts(AFTER), ...notes].join('\n')];
}

function sessionText(field: string, value: unknown, form: Form): string[] {
  if (value === undefined) return [];
  // Below a heading, the name without its object is known.
  return [textOf(form === 'json' ? field.replace('review.', '') : field, value as string, form)];
}

export function propertyText(value: unknown, form: Form): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (form !== 'plain') return JSON.stringify(JSON.stringify(value));
  const text = (item: unknown) => (PLAIN.test(String(item)) ? String(item) : JSON.stringify(item));
  return Array.isArray(value) ? `[${value.map(text).join(', ')}]` : text(value);
}

/** Text that YAML reads unchanged without quotation marks. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)\p{L}[\p{L}\p{N} _-]{0,80}$/iu;

export function goalLines(goals: unknown, form: Form): string[] {
  const all = (goals ?? []) as { text: string; met: boolean | null }[];
  if (all.length === 0) return [];
  if (form !== 'plain') return [`goals:: ${JSON.stringify(all)}`, ''];
  const mark = (met: boolean | null) => (met === null ? '' : met ? '[x] ' : '[ ] ');
  return ['## Goals', ...all.map(({ text, met }) => `- ${mark(met)}${text}`), ''];
}

/**
 * Sections to append for trades missing in a note.
 * @param text of the existing note
 * @returns the text to append; undefined if sections at its end wouldn't be read as such
 */
export function sectionsFor(
  text: string,
  day: StoredDay,
  zone: string,
  finder: TradeFinder,
): { text: string; trades: number } | undefined {
  const cluesIn = (own: string) => {
    const note = { file: '', path: `${day.date}.md`, text: own };
    return readDayNote(note, { zone }).records.flatMap(({ clues }) => clues ?? []);
  };
  const named = new Set(cluesIn(text).map((clues) => finder.idOf(clues)));
  const lacking = day.trades.filter(({ id }) => !named.has(id));
  const gap = text === '' || text.endsWith('\n\n') ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  const added = `${gap}${lacking.map((trade) => printTrade(trade, day.date, zone)).join('\n')}`;
  if (lacking.length === 0) return { text: '', trades: 0 };
  const after = new Set(cluesIn(text + added).map(({ id }) => id));
  return lacking.every(({ id }) => after.has(id)) ? { text: added, trades: lacking.length } : undefined;
}
