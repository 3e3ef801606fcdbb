/** Splits blocks of text into lines or whole rows of CSV. A block may end anywhere. */
import { RowError } from '../../errors.ts';
import { LONGEST_ROW } from './bounds.ts';

export interface Part {
  text: string;
  /** Its first line. */
  line: number;
}

/** Lines without line endings. */
export function* linesOf(blocks: Iterable<string>): Generator<Part> {
  let rest = '';
  let line = 1;
  for (const block of blocks) {
    let from = 0;
    for (let end = block.indexOf('\n'); end !== -1; end = block.indexOf('\n', from)) {
      yield { text: rest + block.slice(from, end), line };
      rest = '';
      from = end + 1;
      line++;
    }
    rest += block.slice(from);
    refuseLong(rest, line, 'line');
  }
  if (rest !== '') yield { text: rest, line };
}

const [NEWLINE, RETURN, QUOTE] = [10, 13, 34];

/** Whole rows of CSV, many at a time. A line break within quotes doesn't end a row. */
export function* rowsOf(blocks: Iterable<string>): Generator<Part> {
  let rest = '';
  let linesInRest = 0;
  let line = 1;
  let inQuotes = false;
  for (const block of blocks) {
    // Only the next block shows whether a return at the end of this one ends a line by itself.
    const from = rest.endsWith('\r') ? rest.length - 1 : rest.length;
    const text = rest + block;
    let end = 0;
    let lines = linesInRest;
    let linesToEnd = 0;
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) inQuotes = !inQuotes;
      else if (code === NEWLINE || (code === RETURN && at + 1 < text.length && text.charCodeAt(at + 1) !== NEWLINE)) {
        lines++;
        if (inQuotes) continue;
        end = at + 1;
        linesToEnd = lines;
      }
    }
    if (end > 0) yield { text: text.slice(0, end), line };
    line += linesToEnd;
    linesInRest = lines - linesToEnd;
    rest = text.slice(end);
    refuseLong(rest, line, 'row');
  }
  if (rest !== '') yield { text: rest, line };
}

/** Rejects a file without line breaks before memory runs out. */
function refuseLong(rest: string, line: number, what: string): void {
  if (rest.length > LONGEST_ROW) {
    throw new RowError(null, `this ${what} is longer than ${LONGEST_ROW / 1e6} million characters`, line);
  }
}
