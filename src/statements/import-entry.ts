/** The schema of an import in the list of imports, as exports of a journal have it. */
import * as z from 'zod';

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
export const importEntry = z.strictObject({
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

export type ImportEntry = z.infer<typeof importEntry>;
export type ImportOptionsKept = z.infer<typeof kept>;
