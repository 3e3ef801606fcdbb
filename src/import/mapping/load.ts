/** Loads a mapping file and its lookup files. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import * as z from 'zod';
import { messageOf, RowError, UserError } from '../../errors.ts';
import { factsOf } from '../../journal/fields.ts';
import { decode, parseJson } from '../../parse/open-file.ts';
import { mappingOf } from './questions.ts';
import { columnsRead, FILLS, type Mapping, targetOf } from './schema.ts';
import { namedRows } from './table.ts';

export interface LoadedMapping {
  /** Path as given. */
  file: string;
  /** Its contents, if they come from a file. */
  text?: string;
  mapping: Mapping;
  /** By name: cell texts in lower case with their replacements. */
  lookups: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** Mappings are written by hand. */
const MOST_BYTES = 1_000_000;

/**
 * @param bytes its contents, if not those of the file now
 * @throws UserError that names the file, the place in it and the valid values
 */
export function loadMapping(
  file: string,
  bytes = bytesOf(file, MOST_BYTES),
): LoadedMapping {
  const mapping = explaining(file, () => mappingOf(parsed(bytes)));
  explaining(file, () => refuseUnusable(mapping));
  const lookups = Object.entries(mapping.lookups ?? {}).map(
    ([name, { file: source, key, value }]) => {
      const path = resolve(dirname(file), source);
      refuseElsewhere(path, file, name);
      const table = bytesOf(path, MOST_LOOKUP_BYTES);
      return [name, explaining(path, () => lookupIn(table, key, value))] as const;
    },
  );
  return { file, text: bytes.toString(), mapping, lookups: new Map(lookups) };
}

/**
 * Another user may have written the mapping: its files must be in its own folder or
 * below, links resolved.
 */
function refuseElsewhere(path: string, mapping: string, lookup: string): void {
  let [folder, real] = [resolve(dirname(mapping)), path];
  try {
    [folder, real] = [realpathSync(folder), realpathSync(path)];
  } catch {
    // A missing file is reported on reading, unless its path already leads outside the
    // folder.
  }

  if (real.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return;
  throw new UserError(
    `${mapping}: lookups.${lookup}.file: must be in the mapping's folder or below; copy the file there, or link the mapping to it`,
  );
}

const MOST_LOOKUP_BYTES = 50_000_000;

function bytesOf(file: string, most: number): Buffer {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) throw new UserError(`${file} is not a file`);
    if (stats.size > most)
      throw new UserError(`${file} is larger than ${most / 1_000_000} MB`);
    return readFileSync(file);
  } catch (error) {
    throw error instanceof UserError
      ? error
      : new UserError(`${file} can't be read: ${messageOf(error)}`);
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return parseJson(decode(bytes) ?? '');
  } catch (error) {
    throw new UserError(`must be JSON: ${messageOf(error)}`);
  }
}

function explaining<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof RowError) throw error.at(file, undefined);
    throw error instanceof UserError ? new UserError(`${file}: ${error.message}`) : error;
  }
}

/**
 * Rejects a mapping without its target's required fields. Missing cells are reported with
 * their row.
 */
function refuseUnusable(mapping: Mapping): void {
  const { target, fields, lookups = {} } = mapping;
  const missing = neededFields(mapping).filter((name) => fields[name] === undefined);
  if (missing.length > 0) {
    throw new UserError(
      `fields: missing for ${target}: ${missing.join(', ')}; name a column for each, or a constant as {"value": ...}`,
    );
  }

  for (const [name, source] of Object.entries(fields)) {
    const used =
      typeof source === 'object' && 'column' in source ? source.lookup : undefined;
    if (used !== undefined && !Object.hasOwn(lookups, used)) {
      throw new UserError(
        `fields.${name}: unknown lookup "${used}"; add it to "lookups"`,
      );
    }
  }

  if (columnsRead(mapping).length === 0)
    throw new UserError('fields: at least one must come from a column');
}

/** Optional: derived from the rest of the record or from the user. */
const DERIVED = [
  'id',
  'currency',
  'created_at',
  'updated_at',
  'side',
  'status',
  'trade_id',
  'gross_pnl',
];

/** Required fields of a mapping with this target. */
export function neededFields(mapping: Pick<Mapping, 'target' | 'fields'>): string[] {
  const target = targetOf(mapping);
  const { price, amount } = mapping.fields;
  const paid = price === undefined && amount !== undefined ? 'amount' : 'price';
  if (target.name === FILLS) return ['symbol', 'market', 'executed_at', 'quantity', paid];

  return [...target.fields]
    .filter(([name, field]) => {
      const isOptional =
        field instanceof z.ZodNullable || factsOf(field).fallback !== undefined;
      // A trade's side may come from the sign of its quantity; a missed trade has none.
      const isDerived =
        DERIVED.includes(name) && !(name === 'side' && target.name === 'missed-trades');
      return !isOptional && !isDerived && !name.includes('.');
    })
    .map(([name]) => name);
}

function lookupIn(bytes: Buffer, key: string, value: string): Map<string, string> {
  const { rows } = namedRows(bytes, { columns: [key, value] });
  const found = new Map<string, string>();
  for (const { line, cells } of rows) {
    const name = (cells[key]?.text ?? '').toLowerCase();
    const meaning = cells[value]?.text ?? '';
    if (name === '') continue;
    if ((found.get(name) ?? meaning) !== meaning)
      throw new RowError(
        key,
        `"${name}" appears twice with different values; keep one`,
        line,
      );
    found.set(name, meaning);
  }

  return found;
}
