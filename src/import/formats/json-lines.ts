import { messageOf } from '../../errors.ts';
import { RowError } from '../../journal-write/row-error.ts';
import { type FileRecord, type Format, hasNoKnownExtension, reading } from './format.ts';
import { asRecord, beginsEnvelope } from './json.ts';

/** One record a line. */
export const jsonLines: Format = {
  name: 'jsonl',
  description: 'JSON Lines: one record a line',
  looksLike: (start, fileName) =>
    /\.(jsonl|ndjson)$/i.test(fileName) ||
    (hasNoKnownExtension(fileName) && /^\s*\{/.test(start) && !beginsEnvelope(start)),
  read(text) {
    const records: FileRecord[] = [];
    text.split('\n').forEach((content, index) => {
      if (content.trim() === '') return;
      const line = index + 1;
      try {
        records.push({ line, values: asRecord(JSON.parse(content), line) });
      } catch (error) {
        if (error instanceof RowError) throw error;
        // The parser's own line is the first: the only one it was given.
        throw new RowError(
          null,
          `not valid JSON: ${messageOf(error).replace(/\(line 1 (column \d+)\)/, '($1)')}`,
          line,
        );
      }
    });
    if (records.length === 0) throw new RowError(null, 'the file is empty: it must have a record a line', 1);
    return reading({ records });
  },
};
