import { messageOf } from '../../errors.ts';
import { RowError } from '../../journal-write/row-error.ts';
import { type FileRecord, recordOn, streamed } from '../fills/reading.ts';
import { linesOf } from '../parse/lines.ts';
import { parseJson } from '../parse/open-file.ts';
import { type Format, hasNoKnownExtension } from '../table/format.ts';
import { asRecord, beginsEnvelope } from './json.ts';

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
