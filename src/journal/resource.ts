import type * as z from 'zod';
import type { Scope } from '../keys/scopes.ts';

/**
 * How a filter compares: exactly; as a label, whatever the case of its letters; as a member of a list of labels; as true or false;
 * as a number.
 */
export type Match = 'exact' | 'label' | 'member' | 'flag' | 'at_least' | 'at_most';

export interface Filter {
  /**
   * A column of the source, or an SQL expression of its columns; of a list of labels, the rows that have them as value. The source goes
   * by the name t.
   */
  column: string;
  match: Match;
  description: string;
  /** Has an index of its own, with the order of the list behind it. Without one, the list is gone through record by record. */
  indexed?: true;
  /** The record field whose values it takes, where that is an enum or an id: the description and the check come from it. */
  like?: string;
  /** Takes a symbol or an underlying. */
  isSymbol?: true;
}

/**
 * A list resource, declared once, as data. The route, the SELECT, the cursor, the OpenAPI entry, the import and the
 * contract tests all come from the declaration.
 */
export interface ListResource {
  /** The last part of its URL, and the name of its import files. */
  path: string;
  /** Name of one record in the API description: "Trade". */
  name: string;
  /** For people: "trades", "trade journal entries". */
  title: string;
  description: string;
  scope: Scope;
  /** What import writes: a table; null for a feed made of other resources. */
  table: string | null;
  /** What is read: the table itself, or a view over it that adds what follows from the facts. */
  source: string;
  /** The field the list is ordered by, newest first, and that start and end are compared with. */
  orderBy: string;
  orderKind: 'instant' | 'date';
  /** What else the list can be sorted by: fields of the record, of which those that may be null put such records last. */
  sorts?: readonly string[];
  /** What else start and end can be compared with; each has an index of the list in its order. */
  dateFields?: readonly string[];
  /** What settles ties of orderBy; the same direction. */
  tieBreak: readonly string[];
  record: z.ZodObject;
  filters: Readonly<Record<string, Filter>>;
  /** Fields that a page of the list computes from the others, which is cheaper than reading them: see derived-trade.ts. */
  derivedInPages?: readonly string[];
  /** Figures computed from the trades closed on the record's day, or from its first to its last day. */
  metrics?: { from: string; to: string };
}

/** Typed as itself, checked as a resource. */
export function resource<const R extends ListResource>(declaration: R): R {
  return declaration;
}
