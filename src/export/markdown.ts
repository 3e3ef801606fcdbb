/** Records as notes in Markdown: a file each, with properties in YAML at the top and the longest text below. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Document, isScalar, visit } from 'yaml';
import type { ListResource } from '../journal/resource.ts';
import type { Row } from '../sqlite/reader.ts';
import { FileWriter } from './file-writer.ts';

/** The field that stands below the properties. */
const TEXT_OF: Record<string, string> = {
  'trade-journals': 'body',
  'group-journals': 'body',
  'weekly-reviews': 'summary',
};

/** Written also where there is nothing to say: what is missing is told from the file's name, the text, or executions. */
const ALWAYS = new Set(['title', 'tags', 'closed_at', 'exit_price']);

export class NoteFolder {
  readonly #folder: string;
  readonly #resource: ListResource;
  readonly #names = new Set<string>();

  constructor(folder: string, resource: ListResource) {
    this.#folder = join(folder, resource.path);
    this.#resource = resource;
    mkdirSync(this.#folder, { mode: 0o700 });
  }

  write(record: Row): void {
    const file = new FileWriter(join(this.#folder, `${this.#nameOf(record)}.md`));
    file.write(noteOf(record, TEXT_OF[this.#resource.path] ?? 'notes'));
    file.close();
  }

  /** 2026-11-20 t-0001: as letters that any file system takes, and different also where case makes no difference. */
  #nameOf(record: Row): string {
    const day = String(record[this.#resource.orderBy]).slice(0, 10);
    const stem = `${day} ${String(record['id']).replaceAll(':', '-')}`;
    let name = stem;
    for (let n = 2; this.#names.has(name.toLowerCase()); n++) name = `${stem} (${n})`;
    this.#names.add(name.toLowerCase());
    return name;
  }
}

/** What a text can't have below the properties, since the ends of notes are trimmed: it is a property then. */
const NEEDS_PROPERTY = /^\s|\s$|\r|^\ufeff|^$/;

/** What has to be quoted to come back as it was. */
const NEEDS_QUOTES = /[^\P{C}\n]|[\u2028\u2029]|^\s|\s$/u;

function noteOf(record: Row, textField: string): string {
  const text = record[textField];
  const isBelow = typeof text === 'string' && !NEEDS_PROPERTY.test(text);
  const properties = Object.entries(record).filter(([name, value]) => {
    if (name === textField) return !isBelow && value !== null;
    return ALWAYS.has(name) || (value !== null && !(Array.isArray(value) && value.length === 0));
  });
  const document = new Document(Object.fromEntries(properties), { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_key, node) {
      if (isScalar(node) && typeof node.value === 'string' && NEEDS_QUOTES.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return `---\n${document.toString({ lineWidth: 0 })}---\n${isBelow ? `\n${text}\n` : ''}`;
}
