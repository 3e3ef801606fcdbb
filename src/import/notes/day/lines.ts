/** The lines of a note, each with its number and kind. Callouts lose their > and outlines their indentation. */

// Markdown tables.

export interface Table {
  header: readonly string[];
  rows: readonly { line: number; raw: string; cells: readonly string[] }[];
}

const MOST_COLUMNS = 50;

/** @returns undefined if the lines aren't a table */
export function tableIn(lines: readonly { number: number; raw: string }[]): Table | undefined {
  const [first, second, ...more] = lines;
  if (!first || !second || !cellsOf(second.raw).every((cell) => /^:?-{1,99}:?$/.test(cell))) return undefined;
  return {
    header: cellsOf(first.raw),
    rows: more.map(({ number, raw }) => ({ line: number, raw, cells: cellsOf(raw) })),
  };
}

function cellsOf(row: string): string[] {
  const bare = row.trim().replace(/^\|/, '').replace(/\|$/, '');
  return bare
    .split(/(?<!\\)\|/)
    .slice(0, MOST_COLUMNS)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

export function isEmptyCell(cell: string): boolean {
  return /^[-–—]?$/.test(cell);
}

export function isTotal([first = '']: readonly string[]): boolean {
  return /^(?:totals?|sum|Σ)$/i.test(first.replaceAll(/[*_: ]/g, ''));
}

export type Line = { number: number; raw: string } & (
  | { kind: 'blank' | 'rule' | 'text' | 'table' | 'code' }
  | { kind: 'heading'; level: number; title: string }
  /** The start and end of a callout. */
  | { kind: 'callout'; title: string }
  | { kind: 'end' }
  /** The exact text of a field. */
  | { kind: 'exact'; field: string; text: string }
);

/** Lines that are longer are text: patterns don't look at them. */
const LONGEST = 2000;

/** Below all headings. */
export const CALLOUT_LEVEL = 7;

const EXACT =
  /^<!-- (body|notes|plan|went_well|went_wrong|lesson|review\.went_well|review\.went_wrong|review\.lesson|reason)( \d{1,3})? -->$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const CALLOUT = /^ {0,3}> ?\[!([\w-]{1,40})\][-+]?(.*)$/;
const QUOTE = /^ {0,3}> ?/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*$/;
const FENCE = /^ {0,3}(?:```|~~~)/;

/** Comments of this and other programs, but not trade ids. */
const COMMENT = /^[ \t]*<!--(?! {0,3}t:)(?:(?!-->).)*-->[ \t]*$/;

/** @param first number of the first line in the file */
export function linesIn(text: string, first: number): Line[] {
  const lines: Line[] = [];
  const all = text.split(/\r?\n/);
  const isOutline = all.some((line) => line.startsWith('- #'));
  let inCallout = false;
  for (let index = 0; index < all.length; index++) {
    const number = first + index;
    const own = all[index] as string;
    const exact = EXACT.exec(own.slice(0, LONGEST));
    if (exact) {
      const end = all.indexOf(`<!-- end of ${exact[1]}${exact[2] ?? ''} -->`, index + 1);
      if (end !== -1) {
        const inner = all.slice(index + 1, end).join('\n');
        lines.push({ kind: 'exact', field: exact[1] as string, text: inner, number, raw: own });
        index = end;
        continue;
      }
    }
    const start = CALLOUT.exec(own.slice(0, LONGEST));
    const isQuoted = QUOTE.test(own);
    if (inCallout && (start || !isQuoted)) {
      lines.push({ kind: 'end', number, raw: '' });
      inCallout = false;
    }
    if (start) {
      lines.push({ kind: 'callout', title: (start[2] as string).trim(), number, raw: own });
      inCallout = true;
      continue;
    }
    const bare = inCallout ? own.replace(QUOTE, '') : own;
    if (FENCE.test(bare)) {
      const end = all.findIndex((line, at) => at > index && FENCE.test(line));
      const last = end === -1 ? all.length - 1 : end;
      for (; index <= last; index++) lines.push({ kind: 'code', number: first + index, raw: all[index] as string });
      index = last;
      continue;
    }
    lines.push(isOutline ? outlined(bare, all[index + 1] ?? '', number) : lineOf(bare, number));
  }
  if (inCallout) lines.push({ kind: 'end', number: first + all.length, raw: '' });
  return lines.filter(({ kind, raw }) => kind !== 'text' || raw.length > LONGEST || !COMMENT.test(raw));
}

function lineOf(raw: string, number: number): Line {
  if (raw.length > LONGEST) return { kind: 'text', number, raw };
  if (raw.trim() === '') return { kind: 'blank', number, raw };
  const [, marks, title] = HEADING.exec(raw) ?? [];
  if (marks !== undefined && title !== undefined) return { kind: 'heading', level: marks.length, title, number, raw };
  if (RULE.test(raw)) return { kind: 'rule', number, raw };
  return { kind: raw.trimStart().startsWith('|') ? 'table' : 'text', number, raw };
}

const BLOCK = /^([\t ]*)- (.*)$/;

/** Logseq's blocks: one with properties is a heading, others are paragraphs. */
function outlined(raw: string, next: string, number: number): Line {
  if (raw.length > LONGEST) return { kind: 'text', number, raw };
  const [, indent, text] = BLOCK.exec(raw) ?? [];
  if (indent === undefined || text === undefined) return lineOf(raw.trim(), number);
  const hasProperties = /^\s+[\w-]{1,60}:: /.test(next.slice(0, LONGEST)) && !BLOCK.test(next.slice(0, LONGEST));
  if (hasProperties) return { kind: 'heading', level: 3, title: text, number, raw };
  return lineOf(text, number);
}
