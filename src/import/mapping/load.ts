/** A mapping's file, and the second files that it names. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import * as z from 'zod';
import { messageOf, UserError } from '../../errors.ts';
import { factsOf } from '../../journal/fields.ts';
import { RowError } from '../../journal-write/row-error.ts';
import { decode } from '../parse/encoding.ts';
import { parseJson } from '../parse/json-text.ts';
import { type Mapping, mappingOf } from './schema.ts';
import { tableRows } from './table.ts';
import { FILLS, targetOf } from './targets.ts';
import { columnsRead } from './values.ts';

export interface LoadedMapping {
  /** As it was named. */
  file: string;
  mapping: Mapping;
  /** By name: what cells say, in small letters, and what that stands for. */
  lookups: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** A mapping is written by hand. */
const MOST_BYTES = 1_000_000;

/** @throws UserError that names the file, the place in it and what would be right */
export function loadMapping(file: string): LoadedMapping {
  const bytes = bytesOf(file, MOST_BYTES);
  const mapping = explaining(file, () => mappingOf(parsed(bytes)));
  explaining(file, () => refuseUnusable(mapping));
  const lookups = Object.entries(mapping.lookups ?? {}).map(([name, { file: own, key, value }]) => {
    const path = resolve(dirname(file), own);
    refuseElsewhere(path, file, name);
    const table = bytesOf(path, MOST_LOOKUP_BYTES);
    return [name, explaining(path, () => lookupIn(table, key, value))] as const;
  });
  return { file, mapping, lookups: new Map(lookups) };
}

/** A mapping may be somebody else's: what it names is in its own folder, or in one below, links followed. */
function refuseElsewhere(path: string, mapping: string, lookup: string): void {
  let [folder, real] = [resolve(dirname(mapping)), path];
  try {
    [folder, real] = [realpathSync(folder), realpathSync(path)];
  } catch {
    // What is missing is named where it is read, unless even its name is of another folder.
  }
  if (real.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return;
  throw new UserError(
    `${mapping}: lookups.${lookup}.file: must be in the mapping's folder, or in one below; copy the file there, or link the mapping to it`,
  );
}

const MOST_LOOKUP_BYTES = 50_000_000;

/** @throws UserError where a proposal's questions are not answered */
export function refuseUnsure({ file, mapping: { unsure = {} } }: LoadedMapping): void {
  const questions = Object.entries(unsure);
  if (questions.length === 0) return;
  throw new UserError(
    `${file} still has open questions:\n${questions.map(([name, question]) => `  ${name}: ${question}`).join('\n')}\nCorrect what is wrong, remove "unsure" and import again; --dry-run shows what it would do as it stands`,
  );
}

function bytesOf(file: string, most: number): Buffer {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) throw new UserError(`${file} is not a file`);
    if (stats.size > most) throw new UserError(`${file} has more than ${most / 1_000_000} MB`);
    return readFileSync(file);
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(`${file} can't be read: ${messageOf(error)}`);
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return parseJson(decode(bytes) ?? '');
  } catch (error) {
    throw new UserError(`a mapping is JSON: ${messageOf(error)}`);
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

/** What a target's records need in any case; the rest is said of the row that lacks it. */
function refuseUnusable(mapping: Mapping): void {
  const { target, fields, lookups = {} } = mapping;
  const missing = neededFields(mapping).filter((name) => fields[name] === undefined);
  if (missing.length > 0) {
    throw new UserError(
      `fields: ${target} need ${missing.join(', ')} too: name the column, or a constant as {"value": ...}`,
    );
  }
  for (const [name, source] of Object.entries(fields)) {
    const used = typeof source === 'object' && 'column' in source ? source.lookup : undefined;
    if (used !== undefined && !Object.hasOwn(lookups, used)) {
      throw new UserError(`fields.${name}: there is no lookup "${used}" among the lookups`);
    }
  }
  if (columnsRead(mapping).length === 0) throw new UserError('fields: at least one must come from a column');
}

/** May be left out where the rest of the record tells them, or the user. */
const TOLD = ['id', 'currency', 'created_at', 'updated_at', 'side', 'status', 'trade_id', 'gross_pnl'];

/** The fields that a mapping of its target can't do without. */
export function neededFields(mapping: Pick<Mapping, 'target' | 'fields'>): string[] {
  const target = targetOf(mapping);
  const { price, amount } = mapping.fields;
  const paid = price === undefined && amount !== undefined ? 'amount' : 'price';
  if (target.name === FILLS) return ['symbol', 'market', 'executed_at', 'quantity', paid];
  return [...target.fields]
    .filter(([name, field]) => {
      const isOptional = field instanceof z.ZodNullable || factsOf(field).fallback !== undefined;
      return !isOptional && !name.includes('.') && !(TOLD.includes(name) && target.name !== 'missed-trades');
    })
    .map(([name]) => name);
}

function lookupIn(bytes: Buffer, key: string, value: string): Map<string, string> {
  const { rows } = tableRows(bytes, { columns: [key, value] });
  const found = new Map<string, string>();
  for (const { line, cells } of rows) {
    const name = String(cells.get(key)).trim().toLowerCase();
    const meaning = String(cells.get(value)).trim();
    if (name === '') continue;
    if ((found.get(name) ?? meaning) !== meaning) throw new RowError(key, `"${name}" stands for two things`, line);
    found.set(name, meaning);
  }
  return found;
}
