/** JSON of a file. Texts with so much nesting or so many values that parsing would crash the program are rejected first. */
import { MOST_DEPTH, MOST_OBJECTS, MOST_VALUES } from './bounds.ts';

/** A shorter text can't be nested deep enough to do harm. */
const HARMLESS = 2000;

/**
 * @param text of one value
 * @throws Error with the reason, like JSON.parse
 */
export function parseJson(text: string): unknown {
  if (text.length > HARMLESS) refuseDeep(text);
  return JSON.parse(text);
}

const [QUOTE, COMMA, BACKSLASH, BRACKET, BRACE] = [34, 44, 92, 91, 123];

function refuseDeep(text: string): void {
  let depth = 0;
  let count = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA && ++values > MOST_VALUES) throw new Error(`it has more than ${MOST_VALUES} values`);
    else if (code === BRACKET || code === BRACE) {
      if (++depth > MOST_DEPTH) throw new Error(`it is nested deeper than ${MOST_DEPTH}`);
      if (++count > MOST_OBJECTS) throw new Error(`it has more than ${MOST_OBJECTS} arrays and objects`);
      // The code of a closing bracket or brace is two above its opening one.
    } else if (code === BRACKET + 2 || code === BRACE + 2) depth--;
  }
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let marks = 0;
    while (text.charCodeAt(end - 1 - marks) === BACKSLASH) marks++;
    if (marks % 2 === 0) return end;
  }
  return text.length;
}
