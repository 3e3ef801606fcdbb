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
import { importEntry } from './import-entry.ts';
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

export type ExportedImport = z.infer<typeof exportedImport>;

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
