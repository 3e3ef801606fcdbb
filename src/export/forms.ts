/** The forms of an export. Import recognises each by the names of the files. */

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Document, isScalar, visit } from 'yaml';
import { messageOf, UserError } from '../errors.ts';
import { csvLine } from '../journal/csv.ts';
import { factNames } from '../journal/every-record.ts';
import type { ListResource } from '../journal/resource.ts';
import { trades } from '../journal/resources/trades.ts';
import type { Row } from '../sqlite/reader.ts';

/** Characters buffered before a write. */
const PART = 1 << 16;

/**
 * A new file that only its owner can read, written in parts.
 * @throws UserError if the disk is full or fails: the journal, which is read meanwhile,
 * is whole
 */
export class FileWriter {
  readonly #file: number;
  #buffer = '';

  constructor(path: string) {
    this.#file = onDisk(() => openSync(path, 'wx', 0o600));
  }

  write(text: string): void {
    this.#buffer += text;
    if (this.#buffer.length >= PART) this.#flush();
  }

  close(): void {
    try {
      this.#flush();
    } finally {
      closeSync(this.#file);
    }
  }

  #flush(): void {
    const bytes = Buffer.from(this.#buffer);
    this.#buffer = '';
    for (let at = 0; at < bytes.length; )
      at += onDisk(() => writeSync(this.#file, bytes, at));
  }
}

function onDisk<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw new UserError(messageOf(error), { cause: error });
  }
}

// Cleans texts of other programs that import rejects, because not every program could
// preserve them.

/** JSON of a text with a NUL or an unpaired surrogate. */
const SUSPECT = /\\u(0000|d[89a-f])/;

/**
 * @returns the record itself if all its texts can be imported; else one without NULs and
 * unpaired surrogates
 */
export function storable(record: Row): Row {
  return SUSPECT.test(JSON.stringify(record)) ? (clean(record) as Row) : record;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '');
  if (Array.isArray(value)) return value.map(clean);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, clean(member)]),
  );
}

// Records as Markdown notes: one file each, with YAML properties at the top and the main
// text below.

/** The field below the properties. */
const TEXT_OF: Record<string, string> = {
  'trade-journals': 'body',
  'group-journals': 'body',
  'weekly-reviews': 'summary',
};

/**
 * Written even if empty: import would derive a missing one from the file's name, the text
 * or the executions.
 */
const ALWAYS = new Set(['title', 'tags', 'closed_at', 'exit_price']);

class NoteFolder {
  readonly #folder: string;
  readonly #resource: ListResource;
  readonly #names = new Set<string>();

  constructor(folder: string, resource: ListResource) {
    this.#folder = join(folder, resource.path);
    this.#resource = resource;
    onDisk(() => mkdirSync(this.#folder, { mode: 0o700 }));
  }

  write(record: Row): void {
    const file = new FileWriter(join(this.#folder, `${this.#nameOf(record)}.md`));
    file.write(noteOf(record, TEXT_OF[this.#resource.path] ?? 'notes'));
    file.close();
  }

  /** 2026-11-20 t-0001: valid on any file system, and unique even if it ignores case. */
  #nameOf(record: Row): string {
    const day = String(record[this.#resource.orderBy]).slice(0, 10);
    const stem = `${day} ${String(record['id']).replaceAll(':', '-')}`;
    let name = stem;
    for (let n = 2; this.#names.has(name.toLowerCase()); n++) name = `${stem} (${n})`;
    this.#names.add(name.toLowerCase());
    return name;
  }
}

/** A text that must be a property, because the ends of notes are trimmed. */
const NEEDS_PROPERTY = /^\s|\s$|\r|^\ufeff|^$/;

/** A text that must be quoted to be restored unchanged. */
const NEEDS_QUOTES = /[^\P{C}\n]|[\u2028\u2029]|^\s|\s$/u;

function noteOf(record: Row, textField: string): string {
  const text = record[textField];
  const isBelow = typeof text === 'string' && !NEEDS_PROPERTY.test(text);
  const properties = Object.entries(record).filter(([name, value]) => {
    if (name === textField) return !isBelow && value !== null;
    const isEmpty = value === null || ['[]', '{}'].includes(JSON.stringify(value));
    return ALWAYS.has(name) || !isEmpty;
  });
  const document = new Document(Object.fromEntries(properties), {
    aliasDuplicateObjects: false,
  });

  visit(document, {
    Scalar(_key, node) {
      if (
        isScalar(node) &&
        typeof node.value === 'string' &&
        NEEDS_QUOTES.test(node.value)
      )
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return `---\n${document.toString({ lineWidth: 0 })}---\n${isBelow ? `\n${text}\n` : ''}`;
}

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
export const FORMS: Record<
  ExportForm,
  (folder: string, resource: ListResource) => RecordFile
> = {
  jsonl(folder, { path }) {
    const name = `${path}.jsonl`;
    const file = new FileWriter(join(folder, name));
    return {
      name,
      write: (record) => file.write(`${JSON.stringify(record)}\n`),
      close: () => file.close(),
    };
  },
  csv(folder, resource) {
    const name = `${resource.path}.csv`;
    const file = new FileWriter(join(folder, name));
    const fields = [
      ...factNames(resource),
      ...(resource.path === trades.path ? ['executions'] : []),
    ];
    file.write(csvLine(fields));

    return {
      name,
      write: (record) => file.write(csvLine(fields.map((field) => record[field]))),
      close: () => file.close(),
    };
  },
  markdown(folder, resource) {
    const notes = new NoteFolder(folder, resource);
    return {
      name: `${resource.path}/`,
      write: (record) => notes.write(record),
      close: () => {},
    };
  },
};
