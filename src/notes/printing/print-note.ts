/**
 * Prints the notes of days and weeks so that importing them changes nothing. Values that
 * plain text would change are printed exactly.
 */
import { same, type Values } from '../../journal-write/record.ts';
import { nameAt, pictureNamed } from '../../pictures/kept-pictures.ts';
import { addDays, fromInstantText, toInstantText, ZoneClock } from '../../time.ts';
import { readDayNote } from '../day-note.ts';
import { markOfId, type NotedRecord, type TradeClues } from '../note.ts';
import { type Attachment, markdownOf } from '../note-pictures.ts';
import { blocksIn, CALLOUT_LEVEL } from '../reading/blocks.ts';
import { isText, type Scope, shownFields } from '../reading/field-names.ts';
import { printedResultIn } from '../reading/field-values.ts';
import { namedIn, nameInNotes } from '../reading/part.ts';
import type { StoredDay, StoredMissed, StoredTrade } from './stored-day.ts';

/**
 * Forms of values: plain; texts between markers, also with the other values in JSON; all
 * in JSON.
 */
const FORMS = ['plain', 'marked', 'exact', 'json'] as const;
type Form = (typeof FORMS)[number];

const isExact = (form: Form) => form === 'exact' || form === 'json';

/** The plainest form that is read back unchanged. */
function plainest<T>(
  print: (form: Form) => T,
  isReadBack: (printed: T) => boolean,
): T | undefined {
  for (const form of FORMS) {
    const printed = print(form);
    if (isReadBack(printed)) return printed;
  }
  return undefined;
}

/** @param zone of the times in headings */
export function printDay(day: StoredDay, zone: string): string {
  const { date } = day;
  const { attachments, ...session } = day.session;
  const print = (form: Form) => sessionParts(date, session, form);
  const [before, text] =
    plainest(print, (parts) => isSession(parts, session, date)) ?? print('json');
  const heading = session['notes'] === undefined ? ['## Notes'] : [];
  const after = [text, ...pictureLines(attachments, heading)].join('\n');
  const trades = day.trades.map((trade) => printTrade(trade, date, zone));
  const missed = day.missed.map((trade) => printMissed(trade, date, zone));
  return [before, ...trades, after, '## Missed trades', ...missed, ''].join('\n');
}

/**
 * The section of a missed trade; nothing if no form of it would be read back as the same.
 */
function printMissed(missed: StoredMissed, date: string, zone: string): string {
  const { missed_at, symbol, side, notes, ...values } = missed;
  const heading = `### ${clockOf(missed_at, zone, true)} ${symbol} ${side}`;
  const names = [...new Set([...shownFields('missed'), ...Object.keys(values)])];

  const print = (form: Form) => {
    const lines = names.map((name) => lineOf(name, values[name], form));
    const text = notes === undefined ? [] : ['', textOf('notes', notes as string, form)];
    return `\n${[heading, ...lines, ...text].join('\n')}`;
  };

  const note = (section: string) =>
    `---\ntype: day\ndate: ${date}\n---\n## Missed trades\n${section}\n### 12:00 X long\n`;
  const isReadBack = (section: string) => {
    const [, read, ...others] = readAs(note(section), date, zone);
    return read !== undefined && others.length === 1 && isSame(read.values, missed);
  };

  return plainest(print, isReadBack) ?? '';
}

function clockOf(instant: string, zone: string, hasSeconds: boolean): string {
  const at = fromInstantText(instant);
  const local = toInstantText(at + new ZoneClock(zone).offsetAt(at));
  return local.slice(11, hasSeconds && local.slice(17, 19) !== '00' ? 19 : 16);
}

/**
 * A note with the results of trades that closed since: in result:: lines of the printed
 * form, or empty, below a heading with our id.
 */
export function withResults(
  text: string,
  day: StoredDay,
): { text: string; changed: string[] } {
  const results = new Map(
    day.trades.map((trade) => [keyOf(trade), trade.result] as const),
  );
  const lines = text.split('\n');
  const changed: string[] = [];

  for (const { id, key, line, before } of resultLinesIn(text)) {
    const result = results.get(key);
    const isOfUser = before !== undefined && !printedResultIn(before);
    if (result === undefined || before === result || isOfUser) continue;

    const end = lines[line - 1]?.endsWith('\r') ? '\r' : '';
    lines[line - 1] = `result:: ${result}${end}`;
    changed.push(`result of ${id}: ${before ?? 'none'} is now ${result}`);
  }

  return { text: lines.join('\n'), changed };
}

interface ResultLine {
  id: string;
  /** Of its trade or group. */
  key: string | undefined;
  line: number;
  before: string | undefined;
}

/** The first result:: line below each heading with our id, and its value. */
function resultLinesIn(text: string): ResultLine[] {
  const found: ResultLine[] = [];
  let of: { id: string; isGroup: boolean } | undefined;
  for (const block of blocksIn(text, 1)) {
    if (block.kind === 'heading' && block.level < CALLOUT_LEVEL) {
      const { id, isGroup = false } = block.facts ?? {};
      of = id === undefined ? undefined : { id, isGroup };
    }

    const result = block.kind === 'text' ? /^result::(?: (.*))?$/.exec(block.raw) : null;
    if (of === undefined || !result) continue;

    found.push({ id: of.id, key: keyOf(of), line: block.number, before: result[1] });
    of = undefined;
  }

  return found;
}

/** A group has none. */
const OF_LEGS: readonly string[] = ['stop_loss', 'take_profit'];

/** The section of a trade, or of a group. */
function printTrade(trade: StoredTrade, date: string, zone: string): string {
  const { values, result, attachments } = trade;
  const shown = result === undefined ? '' : ` ${result}`;
  const heading = `${headingOf(trade, zone)}\nresult::${shown}\n`;
  const fields = shownFields(
    'trade',
    (name) => name !== 'body' && values[name] !== undefined,
  ).filter((name) => !trade.isGroup || !OF_LEGS.includes(name));
  const names = [...fields, ...namedIn(values)];
  const nameOf = (field: string) =>
    field === 'initial_risk' ? 'risk' : nameInNotes(field);

  const print = (form: Form) => {
    const lines = names.map((name) => lineOf(nameOf(name), values[name], form));
    const text = values['body'] as string | undefined;
    const body = text === undefined ? [] : ['', textOf('body', text, form)];
    return `${heading}${[...lines, ...body].join('\n')}\n`;
  };

  const section =
    plainest(print, (printed) => isTrade(printed, trade, date)) ?? print('json');
  return [section, ...pictureLines(attachments)].join('\n');
}

/** Kept pictures, which an edit may delete; nothing without any. */
function pictureLines(attachments: unknown, heading: readonly string[] = []): string[] {
  const all = (attachments ?? []) as Attachment[];
  const kept = all.flatMap(({ url, caption }) => {
    const picture = pictureNamed(nameAt(url) ?? '');
    if (!picture) return [];

    const words = (caption ?? '').replaceAll(/[\][\n]/g, ' ');
    return markdownOf(picture, words);
  });
  return kept.length === 0 ? [] : [...heading, ...kept, ''];
}

function headingOf(trade: StoredTrade, zone: string): string {
  const { id, isGroup, isLeg, symbol, side, executed_at, hasTime } = trade;
  const time = hasTime ? clockOf(executed_at, zone, false) : '';
  const named = `${symbol} ${side}`.replaceAll(/[^\p{L}\p{N}./_!: -]/gu, '').trim();
  const words = [isLeg ? '###' : '##', time, named, markOfId(id, isGroup)];
  return words.filter((word) => word !== '').join(' ');
}

function lineOf(name: string, value: unknown, form: Form): string {
  if (value === undefined) return `${name}::`;
  const isMarked = form === 'marked' || form === 'exact';
  if (isMarked && typeof value === 'string' && value.includes('\n'))
    return textOf(name, value, form);

  return `${name}:: ${valueText(value, form)}`;
}

function valueText(value: unknown, form: Form): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (isExact(form)) return JSON.stringify(value);
  if (!Array.isArray(value)) return String(value);
  return value.every((item) => typeof item === 'string')
    ? value.join(', ')
    : value.map(ruleText).join('; ');
}

function ruleText({
  rule,
  followed,
}: {
  rule: string;
  followed: boolean | null;
}): string {
  return followed === null ? rule : `${rule} = ${followed ? 'yes' : 'no'}`;
}

function textOf(field: string, text: string, form: Form): string {
  if (form === 'plain') return text;
  if (form === 'json') return `${field}:: ${JSON.stringify(text)}`;
  const lines = new Set(text.split('\n'));
  let name = field;
  for (let n = 2; lines.has(`<!-- end of ${name} -->`); n++) name = `${field} ${n}`;
  return `<!-- ${name} -->\n${text}\n<!-- end of ${name} -->`;
}

/** Whether a section, with more text below it, is read back as the trade. */
function isTrade(section: string, stored: StoredTrade, date: string): boolean {
  const { id, isGroup = false, values, attachments } = stored;
  const [day, trade, ...others] = readAs(
    `---\ntype: day\n---\n${section}\n## Plan\nmore`,
    date,
  );
  if (
    !day ||
    !trade ||
    others.length > 0 ||
    trade.clues?.id !== id ||
    trade.clues.isGroup !== isGroup ||
    !isSame(day.values, { plan: 'more' })
  )
    return false;

  const attached = new Set(attachments.map(({ url }) => url));
  const hasAll = (trade.attachments ?? []).every(({ url }) => attached.has(url));
  return hasAll && isSame(trade.values, values);
}

/** @returns nothing unless all can be read */
function readAs(text: string, date: string, zone = 'UTC'): NotedRecord[] {
  const { records, problems } = readDayNote(
    { file: '', path: `${date}.md`, text },
    { zone },
  );
  return problems.length === 0 ? records : [];
}

function isSame(read: Values, stored: Values): boolean {
  const names = Object.keys(stored);
  return (
    names.length === Object.keys(read).length &&
    names.every((name) => same(read[name], stored[name]))
  );
}

/** The session's text before and after the trades. */
function sessionParts(
  date: string,
  session: Values,
  form: Form,
): [before: string, after: string] {
  const front = [
    '---',
    'type: day',
    `date: ${date}`,
    ...propertyLines('session', session, form),
    '---',
  ];
  const review = ['review.went_well', 'review.went_wrong', 'review.lesson'];
  const names = session['notes'] === undefined ? review : [...review, 'notes'];
  const before = [
    ...front,
    ...textLines(['plan'], session, form),
    ...goalLines(session['goals'], form),
  ];

  return [before.join('\n'), textLines(names, session, form).join('\n')];
}

function isSession(
  [before, after]: readonly [string, string],
  session: Values,
  date: string,
): boolean {
  const [day, trade, ...others] = readAs(
    `${before}\n## 12:00 X long <!-- t:x -->\nmore\n${after}\n## Missed trades\n`,
    date,
  );
  return (
    day !== undefined &&
    others.length === 0 &&
    trade?.values['body'] === 'more' &&
    isSame(day.values, session)
  );
}

/**
 * Prints the review of a week below its figures.
 * @param monday of the week
 * @param review its fields, without empty ones
 * @param figures lines that aren't read back
 */
export function printWeek(
  monday: string,
  stored: Values,
  figures: readonly string[],
): string {
  const { attachments, ...review } = stored;
  const print = (form: Form) => weekText(monday, review, figures, form);
  const isReadBack = (text: string) => {
    const { records, problems } = readDayNote(
      { file: '', path: 'week.md', text },
      { zone: 'UTC' },
    );
    return (
      problems.length === 0 &&
      records.length === 1 &&
      isSame(records[0]?.values ?? {}, review)
    );
  };

  const text = plainest(print, isReadBack) ?? print('json');
  return [text, ...pictureLines(attachments, ['## Summary'])].join('\n');
}

function weekText(
  monday: string,
  review: Values,
  figures: readonly string[],
  form: Form,
): string {
  const goals = goalLines(review['goals'], form);
  return [
    '---',
    'type: week',
    `period_start: ${monday}`,
    `period_end: ${addDays(monday, 6)}`,
    ...propertyLines('week', review, form),
    '---',
    '<!-- figures -->',
    ...figures,
    '<!-- end of figures -->',
    '',
    ...textLines(['summary', 'went_well', 'went_wrong', 'lesson', 'focus'], review, form),
    ...(goals.length > 0 ? goals : ['## Goals', '']),
    ...nextGoalLines((review['next_goals'] ?? []) as string[], form),
    '',
  ].join('\n');
}

function nextGoalLines(goals: readonly string[], form: Form): string[] {
  if (!isExact(form)) return ['## Next week', ...goals.map((goal) => `- ${goal}`)];
  const exact = goals.length > 0 ? [`next_goals:: ${JSON.stringify(goals)}`, ''] : [];
  return [...exact, '## Next week'];
}

/** Properties at the top of a note. */
function propertyLines(scope: Scope, values: Values, form: Form): string[] {
  const names = shownFields(
    scope,
    (name) =>
      values[name] !== undefined &&
      !isText(name) &&
      name !== 'goals' &&
      name !== 'next_goals',
  );
  return [...names, ...namedIn(values)].map((field) => {
    const name = nameInNotes(field);
    const key = /^\p{L}[\w.]*$/u.test(name) ? name : JSON.stringify(name);
    return values[field] === undefined
      ? `${key}:`
      : `${key}: ${propertyText(values[field], form)}`;
  });
}

/** Texts below headings: "Went well" for review.went_well. */
function textLines(names: readonly string[], values: Values, form: Form): string[] {
  return names.flatMap((field) => {
    const [name = ''] = field.split('.').slice(-1);
    const title = name.charAt(0).toUpperCase() + name.slice(1).replace('_', ' ');
    const text = values[field] as string | undefined;

    // Below a heading, the name without its object is known.
    return [
      `## ${title}`,
      ...(text === undefined ? [] : [textOf(form === 'json' ? name : field, text, form)]),
      '',
    ];
  });
}

function propertyText(value: unknown, form: Form): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (isExact(form)) return JSON.stringify(JSON.stringify(value));
  const text = (item: unknown) =>
    PLAIN.test(String(item)) ? String(item) : JSON.stringify(item);
  return Array.isArray(value) ? `[${value.map(text).join(', ')}]` : text(value);
}

/** Text that YAML reads unchanged without quotation marks. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)\p{L}[\p{L}\p{N} _-]{0,80}$/iu;

function goalLines(goals: unknown, form: Form): string[] {
  const all = (goals ?? []) as { text: string; met: boolean | null }[];
  if (all.length === 0) return [];
  if (isExact(form)) return [`goals:: ${JSON.stringify(all)}`, ''];
  return ['## Goals', ...all.map(({ text, met }) => `- ${markOf(met)}${text}`), ''];
}

function markOf(met: boolean | null): string {
  if (met === null) return '';
  return met ? '[x] ' : '[ ] ';
}

/**
 * Sections to append for trades missing in a note.
 * @param text of the existing note
 * @param markFor the comment for the trade or group that clues find
 * @returns the text to append; undefined if sections at its end wouldn't be read as such
 */
export function sectionsFor(
  text: string,
  day: StoredDay,
  zone: string,
  markFor: (clues: TradeClues) => string | undefined,
): { text: string; trades: number } | undefined {
  const cluesIn = (whole: string) => {
    const note = { file: '', path: `${day.date}.md`, text: whole };
    return readDayNote(note, { zone }).records.flatMap(({ clues }) => clues ?? []);
  };

  const named = new Set(cluesIn(text).map(markFor));
  const lacking = lackingIn(day.trades, named);
  if (lacking.length === 0) return { text: '', trades: 0 };

  const sections = lacking.map((trade) => printTrade(trade, day.date, zone));
  const added = `${gapAfter(text)}${sections.join('\n')}`;
  const after = new Set(cluesIn(text + added).map(keyOf));

  return lacking.every((trade) => after.has(keyOf(trade)))
    ? { text: added, trades: lacking.length }
    : undefined;
}

/** A note with sections for legs is left as it is: their group needs none. */
function lackingIn(
  trades: readonly StoredTrade[],
  named: ReadonlySet<string | undefined>,
): StoredTrade[] {
  const isNamed = (trade: Pick<StoredTrade, 'id' | 'isGroup'>) => named.has(keyOf(trade));
  return trades.filter(
    (trade) => !isNamed(trade) && !(trade.legs ?? []).some((id) => isNamed({ id })),
  );
}

/** Trades and groups may have the same id. */
function keyOf({ id, isGroup = false }: TradeClues): string | undefined {
  return id === undefined ? undefined : markOfId(id, isGroup);
}

/** What leaves an empty line between a text and the next section. */
function gapAfter(text: string): string {
  if (text === '' || text.endsWith('\n\n')) return '';
  return text.endsWith('\n') ? '\n' : '\n\n';
}
