/** XML as a list of its elements, for exports that put what they say into attributes. */
import { Parser } from 'htmlparser2';
import { RowError } from '../../journal-write/row-error.ts';
import { MOST_DEPTH, MOST_ROWS } from './bounds.ts';

export interface XmlElement {
  name: string;
  /** By name, with entities decoded. */
  attributes: Readonly<Record<string, string>>;
  line: number;
}

/**
 * All elements in the order in which they begin. Entities that a document defines itself stay as they are written.
 * @throws RowError where an element is never closed, as in a file that was cut short, or a bound is passed
 */
export function xmlElements(text: string): XmlElement[] {
  const elements: XmlElement[] = [];
  let line = 1;
  /** Where the line after this one begins; 0 where there is none. */
  let nextLine = text.indexOf('\n') + 1;
  let isAtEnd = false;
  const open: XmlElement[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        for (; nextLine !== 0 && nextLine <= parser.startIndex; nextLine = text.indexOf('\n', nextLine) + 1) line++;
        const element = { name, attributes, line };
        if (elements.length >= MOST_ROWS) throw new RowError(null, `has more than ${MOST_ROWS} elements`, line);
        if (open.length >= MOST_DEPTH) throw new RowError(null, `is nested deeper than ${MOST_DEPTH}`, line);
        elements.push(element);
        open.push(element);
      },
      onclosetag() {
        // At the end the parser closes what the text left open.
        if (!isAtEnd) open.pop();
      },
    },
    { xmlMode: true },
  );
  parser.write(text);
  isAtEnd = true;
  parser.end();
  const [unclosed] = open;
  if (unclosed) throw new RowError(unclosed.name, 'is never closed: the file is cut short or damaged', unclosed.line);
  return elements;
}
