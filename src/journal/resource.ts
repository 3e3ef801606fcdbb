import type * as z from 'zod';
import type { Scope } from '../keys/scopes.ts';

/** What figures count: each trade, or the legs of a trade group together. */
export const UNITS = ['trade', 'position'] as const;
export type Unit = (typeof UNITS)[number];

/**
 * Comparison of a filter: exact; with one of several ids; as a label in any letter case;
 * as a member of a list of labels; as true or false; as a number; as a field that the
 * trader named.
 */
export type Match =
  | 'exact'
  | 'ids'
  | 'label'
  | 'member'
  | 'flag'
  | 'at_least'
  | 'at_most'
  | 'named';

/** In the SQL of a filter by a field that the trader named: its place in the JSON. */
export const PATH = '@path';

export interface Filter {
  /**
   * A column of the source, or an SQL expression of its columns; for a list of labels,
   * the rows with the labels as value. The source has the alias t.
   */
  column: string;
  match: Match;
  description: string;
  /**
   * It has its own index, followed by the order of the list. Without one, the list is
   * searched record by record.
   */
  indexed?: true;
  /**
   * The record field with the values it takes, if that is an enum or an id: its
   * description and check are used. Of a number, the field that reveals as much.
   */
  like?: string;
  /** Takes a symbol or an underlying. */
  isSymbol?: true;
}

/**
 * A list resource, declared once, as data. The route, SELECT, cursor, OpenAPI entry,
 * import and contract tests are derived from it.
 */
export interface ListResource {
  /** The last part of its URL, and the name of its import files. */
  path: string;
  /** Name of one record in the API description: "Trade". */
  name: string;
  /** The name in messages: "trades", "trade journal entries". */
  title: string;
  description: string;
  scope: Scope;
  /** The table that import writes; null for a feed of other resources. */
  table: string | null;
  /** The source of reads: the table itself, or a view that adds derived fields. */
  source: string;
  /** The field of the order, newest first, and of start and end. */
  orderBy: string;
  orderKind: 'instant' | 'date';
  /** Other fields to sort by; records without a value come last. */
  sorts?: readonly string[];
  /** Other fields for start and end; each has an index with the list in its order. */
  dateFields?: readonly string[];
  /** Those without an index: the list is searched in its usual order. */
  searchedDates?: readonly string[];
  /** Tie-break of orderBy, in the same direction. */
  tieBreak: readonly string[];
  record: z.ZodObject;
  filters: Readonly<Record<string, Filter>>;
  /**
   * Fields that a page computes from others, which is cheaper than reading them: see
   * derived-trade.ts.
   */
  derivedInPages?: readonly string[];
  /** Computed from records of other resources: no file brings them. */
  isComputed?: true;
  /** Names of its records are made from their legs: see position-name.ts. */
  isNamed?: true;
  /** The unit of figures that its records are, so that it takes their conditions. */
  hasFigures?: Unit;
  /**
   * Figures computed from the trades closed on the record's day, or from its first to its
   * last day.
   */
  metrics?: { from: string; to: string };
}

/** Keeps the literal type, and checks that it is a resource. */
export function resource<const R extends ListResource>(declaration: R): R {
  return declaration;
}
