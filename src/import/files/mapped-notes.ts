/** Notes read with a mapping for tables: each note is a row. */
import { RowError } from '../../errors.ts';
import { mappedReading } from '../mapping/format.ts';
import type { LoadedMapping } from '../mapping/load.ts';
import { rowsOfNotes } from '../notes/rows.ts';
import type { Format } from '../table/format.ts';

/** @param table the same mapping's format for tables */
export function mappedNotes(loaded: LoadedMapping, { name, description, holds = '' }: Format): Format {
  return {
    ...{ name, description, holds },
    notes: true,
    looksLike: () => false,
    read(notes, context) {
      const noteOf = (row: number) => notes[row - 1]?.file ?? '';
      const rows = rowsOfNotes(notes);
      try {
        const mapped = mappedReading(rows, loaded, context);
        return { ...mapped, records: mapped.records.map((own) => ({ ...own, line: 1, file: noteOf(own.line) })) };
      } catch (error) {
        if (!(error instanceof RowError) || error.line === undefined) throw error;
        throw new RowError(error.field, error.reason, 1, noteOf(error.line));
      }
    },
  };
}
