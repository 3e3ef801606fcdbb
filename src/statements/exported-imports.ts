/**
 * Imports as exports of a journal list them, with what they set: fees, exchange rates,
 * names and limits of accounts.
 */
import * as z from 'zod';
import { ruleChangesOf, TRAILING } from '../journal/analytics/account-rules.ts';
import { CURRENCY_PATTERN } from '../journal/fields.ts';
import { type Reader, TEXT } from '../sqlite/reader.ts';
import { isDate } from '../time.ts';
import { feeChangesOf, namesOf } from './account-settings.ts';
import { rateChangesOf } from './exchange-rates.ts';
import { entryOf, SELECT_IMPORTS, TABLES } from './import-list.ts';

const amount = z.number().nonnegative().lt(1e9).nullable();
const limit = z.number().min(1e-8).lt(1e12);

const rules = z.strictObject({
  balance: z.number().nonnegative().lt(1e12),
  max_loss: limit,
  trailing: z.enum(TRAILING),
  locks_at: z.number().gt(-1e12).lt(1e12).nullable(),
  daily_loss: limit.nullable(),
  target: limit.nullable(),
  best_day: z.number().min(0.0001).max(1).nullable(),
  min_days: z.int().min(1).max(1000).nullable(),
  min_day_profit: limit.nullable(),
  day_ends: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
    .nullable(),
  timezone: z.string().max(100).nullable(),
  since: z.string().refine(isDate).nullable(),
  currency: z.string().regex(CURRENCY_PATTERN).nullable(),
});

/**
 * Options of an import that decide how its file is read: contract sizes by symbol, the
 * mapping's file, the folder of notes.
 */
const kept = z.strictObject({
  as: z.string().optional(),
  account: z.string().optional(),
  timezone: z.string().optional(),
  map: z.string().optional(),
  format: z.string().optional(),
  date: z.string().optional(),
  symbol: z.string().optional(),
  folder: z.string().optional(),
  dates: z.enum(['dmy', 'mdy']).optional(),
  multipliers: z.record(z.string(), z.number().positive()).optional(),
  allow_duplicates: z.literal(true).optional(),
  no_groups: z.literal(true).optional(),
});

/**
 * An imported file, or a command that wrote; times are UTC text. Exports list them in
 * this form.
 */
const importEntry = z.strictObject({
  id: z.int().nonnegative(),
  imported_at: z.iso.datetime({ precision: 3 }),
  /** The file name without folders, or the command. */
  file: z.string(),
  /**
   * Hash of the bytes in hexadecimal; null for commands, and for imports older than
   * stored fills.
   */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  format: z.string(),
  resource: z.string(),
  account: z.string().nullable(),
  rows: z.int().nonnegative(),
  fills: z.int().nonnegative(),
  records: z.int().nonnegative(),
  /** Made from its fills. */
  trades: z.int().nonnegative(),
  /** Number of skipped rows, by reason. */
  skipped: z.record(z.string(), z.int().nonnegative()),
  /** Of a change: the import that it changed. */
  of: z.int().nullable().default(null),
  /**
   * How the file was read, as typed; null for commands, and if an earlier version
   * imported it.
   */
  options: kept.nullable().default(null),
  /**
   * The order of day and month in its dates; null if they have the year first, or it is
   * unknown.
   */
  date_order: z.enum(['dmy', 'mdy']).nullable().default(null),
  /** The file with its folders; null for standard input. */
  path: z.string().nullable().default(null),
  /**
   * The zone in which its times without one were read; null if its file states them all.
   */
  timezone: z.string().nullable().default(null),
  /** The account of its rows without one; null if none. */
  holder: z.string().nullable().default(null),
  /**
   * Of the reader of its format that read it; null for commands, and if an earlier
   * version imported it.
   */
  revision: z.int().nonnegative().nullable().default(null),
});

/** An import in an export, with what it set. */
export const exportedImport = importEntry.extend({
  rates: z
    .array(
      z.strictObject({
        currency: z.string().regex(CURRENCY_PATTERN),
        base: z.string().regex(CURRENCY_PATTERN),
        kind: z.enum(['set', 'table', 'removed']),
        days: z.record(z.string(), z.number().positive()),
      }),
    )
    .optional(),
  names: z
    .array(z.strictObject({ name: z.string(), renamed: z.string().min(1) }))
    .optional(),
  limits: z
    .array(
      z.strictObject({ account: z.string().min(1).max(200), rules: rules.nullable() }),
    )
    .optional(),
  fees: z
    .array(
      z.strictObject({
        symbol: z.string().max(64).nullable(),
        account: z.string().nullable(),
        per_contract: amount,
        per_order: amount,
        percent: z.number().nonnegative().lt(100).nullable(),
      }),
    )
    .optional(),
});

export type ImportEntry = z.infer<typeof importEntry>;
export type ExportedImport = z.infer<typeof exportedImport>;
export type ImportOptionsKept = z.infer<typeof kept>;

/**
 * A user's imports that state fills, or set fees, exchange rates, names or limits of
 * accounts, the earliest first.
 */
export function importsOfFills(reader: Reader, user: string): ExportedImport[] {
  const isIn = (table: string) =>
    `EXISTS (SELECT 1 FROM ${table} AS p WHERE p.user_id = imports.user_id
      AND p.import_id = imports.id)`;

  const settings = Object.entries({
    fees: feeChangesOf(reader, user),
    rates: rateChangesOf(reader, user),
    names: namesOf(reader, user),
    limits: ruleChangesOf(reader, user),
  }).map(
    ([name, changes]) =>
      [
        name,
        Map.groupBy<number, { import: number }>(changes, (change) => change.import),
      ] as const,
  );
  return reader
    .all(
      `${SELECT_IMPORTS} ${TEXT} AND (${TABLES.map(isIn).join(' OR ')}) ORDER BY id`,
      user,
    )
    .map((row) => {
      const entry = entryOf(row);
      const changed = settings.flatMap(([name, changes]) => {
        const set = changes.get(entry.id)?.map(({ import: _, ...change }) => change);
        return set ? [[name, set]] : [];
      });
      return { ...entry, ...Object.fromEntries(changed) };
    });
}
