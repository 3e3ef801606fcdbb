/**
 * The lines of a note, each with its number and kind. Callouts lose their > and outlines their
 * indentation.
 */
import MarkdownIt from 'markdown-it';
import { isText } from './fields.ts';

export type Line = { number: number; raw: string } & (
  | { kind: 'blank' | 'rule' | 'text' | 'code' }
  | { kind: 'heading'; level: number; title: string }
  | { kind: 'table'; rows: readonly Row[] }
  /** The start and end of a callout. */
  | { kind: 'callout'; title: string }
  | { kind: 'end' }
  /** The exact text of a field. */
  | { kind: 'exact'; field: string; text: string }
);

/** A row of a table: the header, the line below it, and the others. */
export interface Row {
  number: number;
  raw: string;
  cells: readonly string[];
}

/** Lines that are longer are text: patterns don't look at them. */
const LONGEST = 2000;

/** Below all headings. */
export const CALLOUT_LEVEL = 7;

const EXACT = /^<!-- ([a-z_.]{1,20})( \d{1,3})? -->$/;
const CALLOUT = /^ {0,3}> ?\[!([\w-]{1,40})\][-+]?(.*)$/;
const QUOTE = /^ {0,3}> ?/;

/** Comments of this and other programs, but not trade ids. */
const COMMENT = /^[ \t]*<!--(?! {0,3}t:)(?:(?!-->).)*-->[ \t]*$/;

/** Blocks only. Lists, quotes and labels are read line by line, for fields are lines. */
const markdown = new MarkdownIt('commonmark', { html: false })
  .enable('table')
  .disable(['blockquote', 'list', 'code', 'reference', 'html_block', 'lheading']);
markdown.core.ruler.enableOnly(['normalize', 'block']);
markdown.block.ruler.before(
  'table',
  'exact',
  (state, line, _end, isTest) => {
    const end = (state.env as unknown as Env).ends.get(line);
    if (end === undefined) return false;
    if (isTest) return true;
    state.push('exact', '', 0).map = [line, end + 1];
    state.line = end + 1;
    return true;
  },
  { alt: ['paragraph', 'blockquote'] },
);
// Markdown takes text right below a table as its last row. A table asks the rules that end quotes
// where it ends.
markdown.block.ruler.before(
  'table',
  'below-table',
  ({ src, bMarks, eMarks }, line, _end, isTest) =>
    isTest && !src.slice(bMarks[line], eMarks[line]).includes('|'),
  { alt: ['blockquote'] },
);

interface Env {
  /** The last line of each exact text, by its first. */
  ends: ReadonlyMap<number, number>;
}

/** @param first number of the first line in the file */
export function linesIn(text: string, first: number): Line[] {
  const all = text.split(/\r?\n/);
  const isOutline = all.some((line) => line.startsWith('- #'));
  const bare = bareOf(all, isOutline);
  const blocks = blocksIn(all, bare, first);
  const lines: Line[] = [];
  let inCallout = false;
  for (let index = 0; index < all.length; index++) {
    const [own, raw, number] = [all[index] as string, bare[index] as string, first + index];
    const block = blocks.get(index);
    const start = block || own.length > LONGEST ? null : CALLOUT.exec(own);
    const isWithin: boolean = inCallout && !start && QUOTE.test(own);
    if (inCallout && !isWithin) lines.push({ kind: 'end', number, raw: '' });
    inCallout = isWithin || start !== null;
    if (start)
      lines.push({ kind: 'callout', title: (start[2] as string).trim(), number, raw: own });
    else if (block) {
      const code = (inCallout ? bare : all).slice(index, block.to);
      if (block.line) lines.push(block.line);
      else
        for (const [at, raw] of code.entries())
          lines.push({ kind: 'code', number: number + at, raw });
      index = block.to - 1;
    } else if (isOutline && hasProperties(own, all[index + 1] ?? '')) {
      lines.push({ kind: 'heading', level: 3, title: raw, number, raw: own });
    } else if (raw.length > LONGEST || !COMMENT.test(raw)) {
      lines.push({ kind: raw.trim() === '' ? 'blank' : 'text', number, raw });
    }
  }
  if (inCallout) lines.push({ kind: 'end', number: first + all.length, raw: '' });
  return lines;
}

const BULLET = /^[\t ]*- (.*)$/;

/**
 * The lines as Markdown, without the > of callouts, and the bullets and indentation of Logseq's
 * outlines.
 */
function bareOf(all: readonly string[], isOutline: boolean): string[] {
  let inCallout = false;
  return all.map((line) => {
    if (line.length > LONGEST) return line;
    inCallout = CALLOUT.test(line) || (inCallout && QUOTE.test(line));
    const bare = inCallout ? line.replace(QUOTE, '') : line;
    return isOutline ? (BULLET.exec(bare)?.[1] ?? bare.trim()) : bare;
  });
}

/** Whether a block of Logseq has properties, and is thus like a heading. */
function hasProperties(line: string, next: string): boolean {
  const start = next.slice(0, LONGEST);
  return (
    line.length <= LONGEST &&
    BULLET.test(line) &&
    /^\s+[\w-]{1,60}:: /.test(start) &&
    !BULLET.test(start)
  );
}

/**
 * A block that is no plain text: its line, if it isn't code, and the index of the line after it.
 */
interface Block {
  line?: Line;
  to: number;
}

/** By their first line. */
function blocksIn(
  all: readonly string[],
  bare: readonly string[],
  first: number,
): Map<number, Block> {
  const source = bare
    .map((line) => (line.length > LONGEST ? 'x' : line.replaceAll('\r', ' ')))
    .join('\n');
  const blocks = new Map<number, Block>();
  const at = (index: number) => ({ number: first + index, raw: bare[index] as string });
  let rows: (Row & { cells: string[] })[] = [];
  let title: Line | undefined;
  for (const { type, tag, map, content } of markdown.parse(source, {
    ends: endsIn(all),
  } satisfies Env)) {
    const [from, to] = map ?? [0, 0];
    if (type === 'fence') blocks.set(from, { to });
    else if (type === 'hr') blocks.set(from, { line: { kind: 'rule', ...at(from) }, to });
    else if (type === 'heading_open')
      title = { kind: 'heading', level: Number(tag[1]), title: '', ...at(from) };
    else if (type === 'exact') {
      const field = EXACT.exec(all[from] as string)?.[1] as string;
      const text = all.slice(from + 1, to - 1).join('\n');
      blocks.set(from, { line: { kind: 'exact', field, text, ...at(from) }, to });
    } else if (type === 'tr_open') rows.push({ ...at(from), cells: [] });
    else if (type === 'inline' && rows.length > 0) rows.at(-1)?.cells.push(content);
    else if (type === 'inline' && title) {
      if (content !== '') blocks.set(from, { line: { ...title, title: content } as Line, to });
      title = undefined;
    } else if (type === 'table_close') {
      const [header, ...others] = rows as [Row & { cells: string[] }, ...Row[]];
      const index = header.number - first;
      const own = [header, { ...at(index + 1), cells: [] }, ...others];
      blocks.set(index, {
        line: { kind: 'table', rows: own, ...at(index) },
        to: index + own.length,
      });
      rows = [];
    }
  }
  return blocks;
}

/** The last line of each exact text, by its first. */
function endsIn(all: readonly string[]): Map<number, number> {
  const ends = new Map<number, number>();
  const next = new Map<string, number>();
  // Backwards, so that nothing is searched twice.
  for (let index = all.length - 1; index >= 0; index--) {
    const line = all[index] as string;
    if (!line.startsWith('<!-- ')) continue;
    next.set(line, index);
    const [, field, number = ''] = EXACT.exec(line) ?? [];
    const end =
      field === undefined || !(field === 'figures' || isText(field))
        ? undefined
        : next.get(`<!-- end of ${field}${number} -->`);
    if (end !== undefined) ends.set(index, end);
  }
  return ends;
}

// Lines with the name and value of a field, in any usual form.

interface LabelLine {
  name: string;
  value: string;
  /** The less plain, the surer it is that a field is meant. */
  form: 'dataview' | 'bold' | 'plain';
}

/** Longest name, including its markup. */
const LONGEST_NAME = 70;

const MARK = /^[ \t]*(?:[-*+] )?/;
const NAME = /^\p{L}[^:|[\]{}<>"]{0,60}$/u;

/** @returns undefined for any other line */
export function labelIn(line: string): LabelLine | undefined {
  const bullet = MARK.exec(line)?.[0].length ?? 0;
  const start = line.slice(bullet, bullet + LONGEST_NAME);
  const rest = (at: number) => line.slice(bullet + at);
  const double = start.indexOf('::');
  if (double > 0) {
    const value = rest(double + 2);
    const name = start.slice(0, double).replaceAll(/^[*_]{1,2}|[*_]{1,2}$/g, '');
    const isField = NAME.test(name) && (value === '' || /^\s/.test(value));
    return isField ? { name, value: value.trim(), form: 'dataview' } : undefined;
  }
  const mark = /^(?:\*\*|__)/.exec(start)?.[0];
  if (mark) {
    const end = start.indexOf(mark, 2);
    const after = rest(end + 2);
    const name = start.slice(2, end).trim();
    if (end < 3 || !(name.endsWith(':') || /^\s*:/.test(after))) return undefined;
    const own = name.replace(/:$/, '');
    return NAME.test(own)
      ? { name: own, value: after.replace(/^\s*:/, '').trim(), form: 'bold' }
      : undefined;
  }
  const colon = start.indexOf(':');
  const name = start.slice(0, colon);
  if (colon < 1 || !/^(?: |$)/.test(rest(colon + 1)) || !NAME.test(name)) return undefined;
  return { name, value: rest(colon + 1).trim(), form: 'plain' };
}

const BOLD_ONLY = /^[ \t]*(?:\*\*|__)([^*_]{1,80})(?:\*\*|__)[ \t]*$/;

/** The text of a line that is bold as a whole, like a heading. */
export function boldIn(line: string): string | undefined {
  return line.length > 120 ? undefined : BOLD_ONLY.exec(line)?.[1];
}

const CHECK = /^[ \t]*[-*+] \[([ xX])\] (\S.*)$/;

/** - [x] Stop placed at once */
export function checkIn(line: string): { text: string; isDone: boolean } | undefined {
  const [, mark, text] = CHECK.exec(line) ?? [];
  return text === undefined ? undefined : { text: text.trim(), isDone: mark !== ' ' };
}

const BULLET_LINE = /^([ \t]*)[-*+] (\S.*)$/;

export function bulletIn(line: string): { text: string; indent: number } | undefined {
  const [, indent, text] = BULLET_LINE.exec(line) ?? [];
  return text === undefined ? undefined : { text, indent: (indent as string).length };
}
