/** An export's files besides its records: the settings of its user, and the list of imports, which its fills refer to by id. */
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { ExportedImport } from '../../import-tables/imports.ts';
import { TRAILING } from '../../journal/analytics/account-rules.ts';
import { CURRENCY_PATTERN } from '../../journal/fields.ts';
import type { User } from '../../journal/journal.ts';
import { isDate } from '../../time.ts';
import { type FilePlace, parseJson } from '../parse/open-file.ts';
import { bytesOf } from './contents.ts';

/** A journal created by the import of an export starts with its settings. */
export const USER_FILE = 'user.json';

const settings = z.strictObject({
  id: z.string(),
  name: z.string().nullable(),
  timezone: z.string(),
  base_currency: z.string(),
  starting_balance: z.number().nullable(),
  breakeven_tolerance: z.number(),
});

/** @returns undefined if the file is another program's; the journal checks whether the settings are valid */
export function readUserSettings(file: string): User | undefined {
  return contentsOf({ file }, settings);
}

/** @returns undefined if there is no such file, or it is another program's */
function contentsOf<T>(place: FilePlace, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(parseJson(bytesOf(place).toString()));
  } catch {
    return undefined;
  }
}

/** Settings in which two users differ, as text: "timezone is UTC (in the file: Europe/Madrid)". */
export function differences(own: User, file: User): string[] {
  const names = ['name', 'timezone', 'base_currency', 'starting_balance', 'breakeven_tolerance'] as const;
  return names
    .filter((name) => own[name] !== file[name])
    .map((name) => `${name} is ${own[name] ?? 'not set'} (in the file: ${file[name] ?? 'not set'})`);
}

export const IMPORTS_FILE = 'imports.json';

const amount = z.number().nonnegative().lt(1e9).nullable();
const limit = z.number().min(1e-8).lt(1e12);

const rules = z.strictObject({
  ...{ balance: z.number().nonnegative().lt(1e12), max_loss: limit, trailing: z.enum(TRAILING) },
  ...{ locks_at: z.number().gt(-1e12).lt(1e12).nullable(), daily_loss: limit.nullable(), target: limit.nullable() },
  ...{ best_day: z.number().min(0.0001).max(1).nullable(), min_days: z.int().min(1).max(1000).nullable() },
  min_day_profit: limit.nullable(),
  day_ends: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
    .nullable(),
  ...{ timezone: z.string().max(100).nullable(), since: z.string().refine(isDate).nullable() },
  currency: z.string().regex(CURRENCY_PATTERN).nullable(),
});

const kept = z.strictObject({
  ...{ as: z.string().optional(), account: z.string().optional(), timezone: z.string().optional() },
  ...{ map: z.string().optional(), format: z.string().optional(), date: z.string().optional() },
  ...{ symbol: z.string().optional(), folder: z.string().optional() },
  multipliers: z.record(z.string(), z.number().positive()).optional(),
  ...{ allow_duplicates: z.literal(true).optional(), no_groups: z.literal(true).optional() },
});

const entries = z.array(
  z.strictObject({
    id: z.int().nonnegative(),
    imported_at: z.iso.datetime({ precision: 3 }),
    file: z.string(),
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
    trades: z.int().nonnegative(),
    skipped: z.record(z.string(), z.int().nonnegative()),
    of: z.int().nullable().default(null),
    options: kept.nullable().default(null),
    path: z.string().nullable().default(null),
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
    names: z.array(z.strictObject({ name: z.string(), renamed: z.string().min(1) })).optional(),
    limits: z.array(z.strictObject({ account: z.string().min(1).max(200), rules: rules.nullable() })).optional(),
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
  }),
);

/** @returns undefined if there is no such file, or it is another program's */
export function readImports(place: FilePlace): ExportedImport[] | undefined {
  return contentsOf(place, entries);
}

/** The imports listed next to a file of fills; empty without a list. */
export function importsNextTo({ file, noLinks }: FilePlace): ExportedImport[] {
  return readImports({ file: join(dirname(file), IMPORTS_FILE), noLinks }) ?? [];
}
