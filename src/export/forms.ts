/** The forms of an export. Import recognises each by the names of the files. */
import { join } from 'node:path';
import { factNames } from '../journal/every-record.ts';
import type { ListResource } from '../journal/resource.ts';
import { trades } from '../journal/resources/trades.ts';
import type { Row } from '../sqlite/reader.ts';
import { csvLine } from './csv.ts';
import { FileWriter } from './file-writer.ts';
import { NoteFolder } from './markdown.ts';

export const EXPORT_FORMS = ['jsonl', 'csv', 'markdown'] as const;
export type ExportForm = (typeof EXPORT_FORMS)[number];

/** The file for the records of one resource. */
interface RecordFile {
  /** Name in the report. */
  name: string;
  write(record: Row): void;
  close(): void;
}

/** Creates the file of a resource in a folder. */
export const FORMS: Record<ExportForm, (folder: string, resource: ListResource) => RecordFile> = {
  jsonl(folder, { path }) {
    const name = `${path}.jsonl`;
    const file = new FileWriter(join(folder, name));
    return { name, write: (record) => file.write(`${JSON.stringify(record)}\n`), close: () => file.close() };
  },
  csv(folder, resource) {
    const name = `${resource.path}.csv`;
    const file = new FileWriter(join(folder, name));
    const fields = [...factNames(resource), ...(resource.path === trades.path ? ['executions'] : [])];
    file.write(csvLine(fields));
    return {
      name,
      write: (record) => file.write(csvLine(fields.map((field) => record[field]))),
      close: () => file.close(),
    };
  },
  markdown(folder, resource) {
    const notes = new NoteFolder(folder, resource);
    return { name: `${resource.path}/`, write: (record) => notes.write(record), close: () => {} };
  },
};
