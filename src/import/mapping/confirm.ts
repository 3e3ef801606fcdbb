/**
 * What a mapping reads is shown before it is stored for the first time. Later files with
 * the same mapping need no confirmation, unless they have a column of costs or a word
 * that no earlier one had.
 */
import { quote, RowError } from '../../errors.ts';
import type { Reader } from '../../sqlite/reader.ts';
import { keptBytes } from '../../statements/imports.ts';
import type { WholeReading } from '../fills/reading.ts';
import { plain } from '../tables/declaration.ts';
import { isCostName, isKindName } from './confirm/names.ts';
import { checksInWords, rowsInWords } from './confirm/words.ts';
import type { LoadedMapping } from './load.ts';
import { formatName } from './read/records.ts';
import { columnsRead } from './schema.ts';
import { type NamedRows, namedRows } from './table.ts';

/** The table that a mapping reads in a file. @throws RowError if it has none */
export function tableOf(bytes: Buffer, { mapping }: LoadedMapping): NamedRows {
  return namedRows(bytes, { ...mapping, columns: columnsRead(mapping) });
}

/** What was read, in words. @param table undefined for notes */
export function inWords(
  reading: WholeReading,
  table: NamedRows | undefined,
  loaded: LoadedMapping,
): string[] {
  return [
    ...rowsInWords(reading),
    ...(table ? checksInWords(reading, table, loaded) : []),
  ];
}

/** The imports that were read with a mapping of the same contents, the latest first. */
export class EarlierImports {
  readonly #reader: Reader;
  readonly #user: string;
  readonly #loaded: LoadedMapping;
  readonly #ids: readonly number[];

  constructor(reader: Reader, user: string, loaded: LoadedMapping) {
    this.#reader = reader;
    this.#user = user;
    this.#loaded = loaded;

    // Early versions didn't keep the contents of mappings.
    const rows = reader.all(
      `SELECT id FROM imports WHERE user_id = ? AND (mapping = ? OR (mapping IS NULL AND format = ?))
       ORDER BY id DESC`,
      user,
      loaded.text ?? '',
      formatName(loaded.mapping),
    );
    this.#ids = rows.map(({ id }) => id as number);
  }

  get isConfirmed(): boolean {
    return this.#ids.length > 0;
  }

  /**
   * Columns of costs that aren't read, and words that tell rows apart, that no earlier
   * file had; in words.
   */
  newIn(table: NamedRows): string[] {
    const { costs, words } = newsIn(table, this.#loaded);
    let isComparable = this.#loaded.mapping.columns !== undefined;
    for (const id of this.#ids) {
      if (costs.size + words.size === 0) break;
      const earlier = this.#newsOf(id);
      if (!earlier) continue;

      isComparable = true;
      for (const column of earlier.costs) costs.delete(column);
      for (const key of earlier.words.keys()) words.delete(key);
    }

    // Earlier versions kept neither files nor what they had.
    if (!isComparable) return [];
    return [
      ...[...costs].map(
        (column) => `a column named like costs that is not used: ${quote(column)}`,
      ),
      ...[...words.values()].map(
        ({ column, word }) =>
          `a word in ${quote(column)} for the first time: ${quote(word)}`,
      ),
    ];
  }

  /** The same of an earlier file; undefined if the journal doesn't keep it. */
  #newsOf(id: number): News | undefined {
    const bytes = keptBytes(this.#reader, this.#user, id);
    try {
      return bytes && newsIn(tableOf(bytes, this.#loaded), this.#loaded);
    } catch (error) {
      // Only imports of earlier versions may have read it with another mapping of the
      // name.
      if (error instanceof RowError) return undefined;
      throw error;
    }
  }
}

interface News {
  costs: Set<string>;
  words: Map<string, { column: string; word: string }>;
}

/** More words are no kinds of rows. */
const MOST_WORDS = 30;

/** What the mapping itself doesn't know. */
function newsIn(
  table: NamedRows,
  { mapping: { columns = {}, fields, skip = [] } }: LoadedMapping,
): News {
  const known = new Set(Object.keys(columns).map(plain));
  const costs = table.unused.filter(
    (name) => isCostName(name) && !known.has(plain(name)),
  );
  const read = new Set(columnsRead({ fields }).map(plain));
  const words: News['words'] = new Map();

  for (const column of table.names) {
    const rules = skip.filter((rule) => plain(rule.column) === plain(column));
    const isKind = rules.length > 0 || isKindName(column);
    if (read.has(plain(column)) || !isKind) continue;

    const stated = columns[column];
    const all = [
      ...(Array.isArray(stated) ? [] : Object.keys(stated ?? {})),
      ...rules.flatMap(({ is = [], not = [] }) => [...is, ...not]),
    ];
    const seen = new Set(all.map(plain));
    const found = new Set(table.rows.map((row) => table.textOf(row, column)));
    if (found.size > MOST_WORDS) continue;

    for (const word of found) {
      if (!seen.has(plain(word)))
        words.set(`${plain(column)}\n${plain(word)}`, { column, word });
    }
  }

  return { costs: new Set(costs), words };
}
