/**
 * The first pass: the text of a note becomes blocks, in their order, each with its line
 * number. Markdown-it finds headings, tables, rules and code; any other line is a block
 * of its own, with the forms that it has. Callouts lose their > and outlines their
 * indentation.
 */
import MarkdownIt from 'markdown-it';
import { isText } from './field-names.ts';
import { formsOf, type LineForms } from './line-forms.ts';
import { type Title, titleIn } from './titles.ts';

export type Block = { number: number; raw: string } & (
  | { kind: 'blank' | 'rule' | 'code' }
  | ({ kind: 'text' } & LineForms)
  /** The title of a callout is a heading of CALLOUT_LEVEL, which ends with an 'end'. */
  | { kind: 'heading'; level: number; title: string; facts: Title | undefined }
  | { kind: 'end' }
  | { kind: 'table'; rows: readonly Row[] }
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

/** Of a block of an outline that has properties. */
const OUTLINE_LEVEL = 3;

const CALLOUT = /^ {0,3}> ?\[!([\w-]{1,40})\][-+]?(.*)$/;
const QUOTE = /^ {0,3}> ?/;

/** Comments of this and other programs, but not ids of trades and groups. */
const COMMENT = /^[ \t]*<!--(?! {0,3}[gt]:)(?:(?!-->).)*-->[ \t]*$/;

/** @param first number of the first line in the file */
export function blocksIn(text: string, first: number): Block[] {
  return [...new Scanner(text.split(/\r?\n/), first).blocks()];
}

class Scanner {
  readonly #lines: readonly string[];
  /** The same lines as Markdown. */
  readonly #bare: readonly string[];
  readonly #structures: ReadonlyMap<number, Structure>;
  readonly #isOutline: boolean;
  readonly #first: number;

  constructor(lines: readonly string[], first: number) {
    this.#lines = lines;
    this.#first = first;
    this.#isOutline = lines.some((line) => line.startsWith('- #'));
    this.#bare = bareOf(lines, this.#isOutline);
    this.#structures = structuresIn(lines, this.#bare);
  }

  *blocks(): Generator<Block> {
    let isInCallout = false;
    for (let index = 0; index < this.#lines.length; ) {
      const title = this.#calloutAt(index);
      const isWithin: boolean =
        isInCallout && title === undefined && this.#isQuote(index);
      if (isInCallout && !isWithin) yield this.#end(index);
      isInCallout = isWithin || title !== undefined;

      const structure = this.#structures.get(index);
      if (title !== undefined) {
        const raw = this.#lines[index] as string;
        yield headingOf({ ...this.#at(index), raw }, CALLOUT_LEVEL, title);
      } else if (structure) yield* this.#structure(structure, index, isInCallout);
      else yield* this.#line(index);

      index = structure?.to ?? index + 1;
    }

    if (isInCallout) yield this.#end(this.#lines.length);
  }

  #at(index: number): { number: number; raw: string } {
    return { number: this.#first + index, raw: this.#bare[index] as string };
  }

  #end(index: number): Block {
    return { kind: 'end', number: this.#first + index, raw: '' };
  }

  /** The title of a callout that begins there. */
  #calloutAt(index: number): string | undefined {
    const line = this.#lines[index] as string;
    if (this.#structures.has(index) || line.length > LONGEST) return undefined;
    return CALLOUT.exec(line)?.[2]?.trim();
  }

  #isQuote(index: number): boolean {
    return QUOTE.test(this.#lines[index] as string);
  }

  *#structure(
    structure: Structure,
    index: number,
    isInCallout: boolean,
  ): Generator<Block> {
    const at = this.#at(index);
    switch (structure.kind) {
      case 'code': {
        const lines = isInCallout ? this.#bare : this.#lines;
        for (let line = index; line < structure.to; line++)
          yield { kind: 'code', number: this.#first + line, raw: lines[line] as string };
        return;
      }
      case 'table': {
        const rows = structure.rows.map(({ line, cells }) => ({
          ...this.#at(line),
          cells,
        }));
        return yield { ...at, kind: 'table', rows };
      }
      case 'heading':
        return yield headingOf(at, structure.level, structure.title);
      case 'exact':
        return yield {
          ...at,
          kind: 'exact',
          field: structure.field,
          text: structure.text,
        };
      case 'rule':
        return yield { ...at, kind: 'rule' };
    }
  }

  /** A line that is no structure; nothing for a comment. */
  *#line(index: number): Generator<Block> {
    const at = this.#at(index);
    const line = this.#lines[index] as string;
    if (this.#isOutline && hasProperties(line, this.#lines[index + 1] ?? '')) {
      yield headingOf({ ...at, raw: line }, OUTLINE_LEVEL, at.raw);
      return;
    }

    if (at.raw.trim() === '') yield { ...at, kind: 'blank' };
    else if (at.raw.length > LONGEST || !COMMENT.test(at.raw))
      yield { ...at, kind: 'text', ...formsOf(at.raw) };
  }
}

function headingOf(
  at: { number: number; raw: string },
  level: number,
  title: string,
): Block {
  return { ...at, kind: 'heading', level, title, facts: titleIn(title) };
}

const OUTLINE_BULLET = /^[\t ]*- (.*)$/;

/**
 * The lines as Markdown, without the > of callouts, and the bullets and indentation of
 * Logseq's outlines.
 */
function bareOf(lines: readonly string[], isOutline: boolean): string[] {
  let isInCallout = false;
  return lines.map((line) => {
    if (line.length > LONGEST) return line;

    isInCallout = CALLOUT.test(line) || (isInCallout && QUOTE.test(line));
    const bare = isInCallout ? line.replace(QUOTE, '') : line;
    return isOutline ? (OUTLINE_BULLET.exec(bare)?.[1] ?? bare.trim()) : bare;
  });
}

/** Whether a block of Logseq has properties, and is thus like a heading. */
function hasProperties(line: string, next: string): boolean {
  const start = next.slice(0, LONGEST);
  return (
    line.length <= LONGEST &&
    OUTLINE_BULLET.test(line) &&
    /^\s+[\w-]{1,60}:: /.test(start) &&
    !OUTLINE_BULLET.test(start)
  );
}

// What markdown-it finds.

/** A block of lines. Lines are counted from 0; `to` is the one after it. */
type Structure = { to: number } & (
  | { kind: 'code' | 'rule' }
  | { kind: 'heading'; level: number; title: string }
  | { kind: 'exact'; field: string; text: string }
  | { kind: 'table'; rows: readonly { line: number; cells: readonly string[] }[] }
);

/** Lists, quotes and labels are read line by line, for fields are lines. */
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
// Markdown takes text right below a table as its last row. A table asks the rules that
// end quotes where it ends.
markdown.block.ruler.before(
  'table',
  'below-table',
  ({ src, bMarks, eMarks }, line, _end, isTest) =>
    isTest && !src.slice(bMarks[line], eMarks[line]).includes('|'),
  { alt: ['blockquote'] },
);
// Paragraphs end where another block begins. Their tokens, three for a line in a long
// list, aren't needed.
const readParagraph = markdown.block.ruler.getRules('').at(-1) as ParagraphRule;
markdown.block.ruler.at('paragraph', (state, line, end, isTest) => {
  const { length } = state.tokens;
  const isRead = readParagraph(state, line, end, isTest);
  state.tokens.length = length;
  return isRead;
});

interface Env {
  /** The last line of each exact text, by its first. */
  ends: ReadonlyMap<number, number>;
}

type Token = ReturnType<typeof markdown.parse>[number];
type ParagraphRule = ReturnType<typeof markdown.block.ruler.getRules>[number];

/** By their first line. */
function structuresIn(
  lines: readonly string[],
  bare: readonly string[],
): Map<number, Structure> {
  const source = bare
    .map((line) => (line.length > LONGEST ? 'x' : line.replaceAll('\r', ' ')))
    .join('\n');
  const tokens = markdown.parse(source, { ends: endsIn(lines) } satisfies Env);
  const structures = new Map<number, Structure>();

  for (const [index, token] of tokens.entries()) {
    const structure = structureAt(tokens, index, lines);
    if (structure) structures.set(token.map?.[0] ?? 0, structure);
  }

  return structures;
}

function structureAt(
  tokens: readonly Token[],
  index: number,
  lines: readonly string[],
): Structure | undefined {
  const { type, tag, map } = tokens[index] as Token;
  const [from, to] = map ?? [0, 0];
  switch (type) {
    case 'fence':
      return { kind: 'code', to };
    case 'hr':
      return { kind: 'rule', to };
    case 'exact': {
      const field = EXACT.exec(lines[from] as string)?.[1] as string;
      return { kind: 'exact', field, text: lines.slice(from + 1, to - 1).join('\n'), to };
    }
    case 'heading_open': {
      // Its text is the next token.
      const title = tokens[index + 1]?.content ?? '';
      return title === ''
        ? undefined
        : { kind: 'heading', level: Number(tag[1]), title, to };
    }
    case 'table_open':
      return tableAt(tokens, index, from);
    default:
      return undefined;
  }
}

function tableAt(tokens: readonly Token[], index: number, from: number): Structure {
  const rows: { line: number; cells: string[] }[] = [];
  for (let next = index; tokens[next]?.type !== 'table_close'; next++) {
    const { type, map, content } = tokens[next] as Token;
    if (type === 'tr_open') rows.push({ line: map?.[0] ?? from, cells: [] });
    else if (type === 'inline') rows.at(-1)?.cells.push(content);
  }

  // The line below the header is no row to markdown-it.
  rows.splice(1, 0, { line: from + 1, cells: [] });
  return { kind: 'table', rows, to: from + rows.length };
}

const EXACT = /^<!-- ([a-z_.]{1,20})( \d{1,3})? -->$/;

/** The last line of each exact text, by its first. */
function endsIn(lines: readonly string[]): Map<number, number> {
  const ends = new Map<number, number>();
  const next = new Map<string, number>();
  // Backwards, so that nothing is searched twice.
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index] as string;
    if (!line.startsWith('<!-- ')) continue;

    next.set(line, index);
    const [, field, number = ''] = EXACT.exec(line) ?? [];
    const isField = field !== undefined && (field === 'figures' || isText(field));
    const end = isField ? next.get(`<!-- end of ${field}${number} -->`) : undefined;
    if (end !== undefined) ends.set(index, end);
  }

  return ends;
}
