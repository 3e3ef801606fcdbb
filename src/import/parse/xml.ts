/** XML as a list of its elements, for exports with their data in attributes. */
import { Parser } from 'htmlparser2';
import { RowError } from '../../journal-write/row-error.ts';
import { LONGEST_READ, MOST_ATTRIBUTES, MOST_DEPTH, MOST_KEPT_ATTRIBUTES, MOST_ROWS } from './bounds.ts';

export interface XmlElement {
  name: string;
  /** Values by name, with entities decoded. */
  attributes: Readonly<Record<string, string>>;
  line: number;
}

/**
 * Parser callbacks that bound attributes before they are kept.
 * @param most attributes of all elements; unbounded if they aren't kept
 * @param longest characters of a value; unbounded if it isn't read
 */
export function attributeCounter(most = Number.POSITIVE_INFINITY, longest = Number.POSITIVE_INFINITY) {
  let all = 0;
  let ofElement = 0;
  return {
    onopentagname(): void {
      ofElement = 0;
    },
    onattribute(name: string, value: string): void {
      if (++ofElement > MOST_ATTRIBUTES) {
        throw new RowError(null, `has an element with more than ${MOST_ATTRIBUTES} attributes`);
      }
      if (++all > most) throw new RowError(null, `has more than ${most / 1e6} million attributes`);
      if (value.length > longest) throw new RowError(name, `is longer than ${longest} characters`);
    },
  };
}

/**
 * All elements in document order. Entities defined by the document aren't decoded.
 * @throws RowError if an element is never closed, as in a truncated file, or a bound is exceeded
 */
export function xmlElements(text: string): XmlElement[] {
  const elements: XmlElement[] = [];
  let line = 1;
  /** Start of the next line; 0 if none. */
  let nextLine = text.indexOf('\n') + 1;
  let isAtEnd = false;
  const open: XmlElement[] = [];
  const parser = new Parser(
    {
      ...attributeCounter(MOST_KEPT_ATTRIBUTES, LONGEST_READ),
      onopentag(name, attributes) {
        for (; nextLine !== 0 && nextLine <= parser.startIndex; nextLine = text.indexOf('\n', nextLine) + 1) line++;
        const element = { name, attributes, line };
        if (elements.length >= MOST_ROWS) throw new RowError(null, `has more than ${MOST_ROWS} elements`, line);
        if (open.length >= MOST_DEPTH) throw new RowError(null, `is nested deeper than ${MOST_DEPTH}`, line);
        elements.push(element);
        open.push(element);
      },
      onclosetag() {
        // At the end, the parser closes all unclosed elements.
        if (!isAtEnd) open.pop();
      },
    },
    { xmlMode: true },
  );
  parser.write(text);
  isAtEnd = true;
  parser.end();
  const [unclosed] = open;
  if (unclosed) throw new RowError(unclosed.name, 'is never closed; the file is truncated or damaged', unclosed.line);
  return elements;
}
