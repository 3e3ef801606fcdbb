/** XML as a list of its elements, for exports that put what they say into attributes. */
import { Parser } from 'htmlparser2';
import { RowError } from '../../journal-write/row-error.ts';

export interface XmlElement {
  name: string;
  /** By name, with entities decoded. */
  attributes: Readonly<Record<string, string>>;
  line: number;
}

/**
 * All elements in the order in which they begin. Entities that a document defines itself stay as they are written.
 * @throws RowError where an element is never closed, as in a file that was cut short
 */
export function xmlElements(text: string): XmlElement[] {
  const elements: XmlElement[] = [];
  let line = 1;
  let counted = 0;
  let isAtEnd = false;
  let unclosed: XmlElement | undefined;
  const open: XmlElement[] = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        for (
          let at = text.indexOf('\n', counted);
          at !== -1 && at < parser.startIndex;
          at = text.indexOf('\n', at + 1)
        ) {
          line++;
          counted = at + 1;
        }
        const element = { name, attributes, line };
        elements.push(element);
        open.push(element);
      },
      onclosetag() {
        const closed = open.pop();
        if (isAtEnd) unclosed = closed;
      },
    },
    { xmlMode: true },
  );
  parser.write(text);
  // What is still open now has no end.
  isAtEnd = true;
  parser.end();
  if (unclosed) throw new RowError(unclosed.name, 'is never closed: the file is cut short or damaged', unclosed.line);
  return elements;
}
