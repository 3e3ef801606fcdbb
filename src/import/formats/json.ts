import { messageOf, quote, RowError } from '../../errors.ts';
import type { Values } from '../../journal-write/record.ts';
import { type FileRecord, reading, recordOn, streamed } from '../fills/reading.ts';
import { linesOf, parseJson } from '../parse/open-file.ts';
import { type Format, hasNoKnownExtension } from '../table/format.ts';

/** One record per line. */
export const jsonLines: Format = {
  name: 'jsonl',
  description: 'JSON Lines: one record per line',
  looksLike: (start, fileName) =>
    /\.(jsonl|ndjson)$/i.test(fileName) ||
    (hasNoKnownExtension(fileName) && /^\s*\{/.test(start) && !beginsEnvelope(start)),
  streamed: true,
  read: (blocks) => streamed(() => recordsOf(blocks())),
};

function* recordsOf(blocks: Iterable<string>): Generator<FileRecord> {
  let isEmpty = true;
  for (const { text, line } of linesOf(blocks)) {
    if (text.trim() === '') continue;
    isEmpty = false;
    yield recordOn(line, () => asRecord(parsed(text, line), line));
  }
  if (isEmpty) throw new RowError(null, 'the file is empty; it must have a record per line', 1);
}

function parsed(text: string, line: number): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    // The parser only sees this line, so its own line number is always 1.
    const reason = messageOf(error).replace(/\(line 1 (column \d+)\)/, '($1)');
    throw new RowError(null, `not valid JSON: ${reason}`, line);
  }
}

/** A list of records, a single one, or a response of the API: a page or one record in its envelope. */
export const json: Format = {
  name: 'json',
  description: 'JSON: a list of records, a single one, or a response of the API',
  looksLike: (start, fileName) =>
    /\.json$/i.test(fileName) || (hasNoKnownExtension(fileName) && (/^\s*\[/.test(start) || beginsEnvelope(start))),
  read(text) {
    const root = jsonIn(text);
    const enveloped = isEnvelope(root);
    const content = enveloped ? root['data'] : root;
    if (!Array.isArray(content))
      return reading({ records: [{ line: firstLine(text), values: asRecord(content, firstLine(text)) }] });
    const lines = itemLines(text, enveloped ? 2 : 1);
    const records = content.map((item, index) => {
      const line = lines[index] ?? 1;
      return recordOn(line, () => asRecord(item, line));
    });
    const more = enveloped && (root['pagination'] as Values | undefined)?.['has_more'] === true;
    const notes = more ? ['this is one page of several; import the other pages too'] : [];
    return reading({ records, notes });
  },
};

/** @throws RowError if a value isn't an object */
export function asRecord(value: unknown, line: number): Values {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new RowError(null, `a record must be an object with its fields; got ${quote(value)}`, line);
  }
  return value as Values;
}

/** Whether a text begins like a response of the API: one value, not one per line. */
function beginsEnvelope(start: string): boolean {
  return /^\s*\{\s*"data"\s*:/.test(start);
}

/** @throws RowError if it isn't JSON */
export function jsonIn(text: string): unknown {
  if (text.trim() === '') throw new RowError(null, 'the file is empty; write [] for no records', 1);
  try {
    return parseJson(text);
  } catch (error) {
    const reason = messageOf(error);
    const line = /\(line (\d+) column/.exec(reason)?.[1];
    throw new RowError(null, `not valid JSON: ${reason}`, line === undefined ? text.split('\n').length : Number(line));
  }
}

function isEnvelope(root: unknown): root is Values {
  if (root === null || typeof root !== 'object' || Array.isArray(root)) return false;
  return 'data' in root && Object.keys(root).every((name) => name === 'data' || name === 'pagination');
}

function firstLine(text: string): number {
  return text.slice(0, text.search(/\S/)).split('\n').length;
}

/**
 * The first lines of a list's items.
 * @param text valid JSON
 * @param depth nesting of the items: 1 in a list, 2 in a list within an object
 */
export function itemLines(text: string, depth: number): number[] {
  const lines: number[] = [];
  // Open brackets, from outside in: other members of an object may precede the list.
  const open: string[] = [];
  let line = 1;
  let expecting = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '\n') line++;
    if (char <= ' ') continue;
    if (expecting && char !== ']') lines.push(line);
    expecting = false;
    if (char === '"') at = endOfString(text, at);
    else if (char === '[' || char === '{') {
      open.push(char);
      expecting = char === '[' && open.length === depth;
    } else if (char === ']' || char === '}') open.pop();
    else if (char === ',') expecting = open.length === depth && open.at(-1) === '[';
  }
  return lines;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
