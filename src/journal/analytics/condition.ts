/**
 * A condition on trades by their keys in dimensions: Fridays after 14:00, the third loss
 * in a row.
 */

import { foldCase } from '../../sqlite/functions.ts';
import type { ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import type { Unit } from '../resource.ts';
import type { Range } from '../where.ts';
import type { ClosedTrade, Column } from './closed-trade.ts';
import { type Dimension, factsOfDimension, type Key } from './dimensions.ts';

// Filters that don't apply to a section of the response.

export const filtersIgnored = () =>
  f
    .strings(
      "Filters of the request that don't apply here, because these records lack the field; absent if none",
    )
    .optional();

export function ignoring(names: readonly string[]): { filters_ignored?: string[] } {
  return names.length === 0 ? {} : { filters_ignored: [...names] };
}

/** Bounds of numbers, both included. */
export interface Bounds {
  min?: number;
  max?: number;
}

export type KeyOrBounds = Key | Bounds;

/** Dimensions with keys: a trade matches if it has one of the keys in every dimension. */
export type Clause = Readonly<Partial<Record<Dimension, readonly KeyOrBounds[]>>>;

/** A label in a condition. */
export interface NamedLabel {
  dimension: Dimension;
  label: string;
}

/**
 * Comparable form of a key: ids keep their case, all others ignore it, and "5" equals 5.
 */
export function nameOfKey(dimension: Dimension, key: Key): string | null {
  if (key === null) return null;
  return factsOfDimension(dimension).isId ? String(key) : foldCase(String(key));
}

export class Condition {
  readonly columns: readonly Column[];
  readonly #clauses: readonly (readonly Term[])[];

  /** @param clauses one of which has to match */
  constructor(clauses: readonly Clause[], clock: ZoneClock) {
    const termsOf = (clause: Clause) =>
      (Object.keys(clause) as Dimension[]).map(
        (name) => new Term(name, clause[name] as readonly KeyOrBounds[], clock),
      );

    this.#clauses = clauses.map(termsOf);
    this.columns = this.#clauses
      .flat()
      .flatMap(({ dimension }) => factsOfDimension(dimension).columns ?? []);
  }

  matches(trade: ClosedTrade): boolean {
    return this.#clauses.some((terms) => terms.every((term) => term.matches(trade)));
  }

  /** Labels that no trade has had so far. */
  unmet(): NamedLabel[] {
    return this.#clauses.flat().flatMap((term) => term.unmet());
  }
}

/** One dimension of a clause. */
class Term {
  readonly dimension: Dimension;
  readonly #keyOf: ReturnType<typeof factsOfDimension>['keyOf'];
  readonly #isByClose: boolean;
  readonly #clock: ZoneClock;
  readonly #wanted: ReadonlySet<string | null>;
  readonly #unmet: Map<string | null, string>;
  /** Whether each key seen so far is wanted. */
  readonly #known = new Map<Key, boolean>();
  readonly #fieldValueOf: ReturnType<typeof factsOfDimension>['fieldValueOf'];
  readonly #bounds: readonly Bounds[];

  constructor(dimension: Dimension, wanted: readonly KeyOrBounds[], clock: ZoneClock) {
    const facts = factsOfDimension(dimension);
    const { keyOf, fieldValueOf, isLabel, isId, isByClose = false, time } = facts;
    const keys = wanted.filter((key): key is Key => !isBounds(key));
    this.#bounds = wanted.filter(isBounds);
    this.dimension = dimension;
    this.#keyOf = keyOf;
    this.#fieldValueOf = fieldValueOf;
    this.#isByClose = isByClose || time === 'closing';
    this.#clock = clock;
    this.#wanted = new Set(keys.map((key) => nameOfKey(dimension, key)));

    const labels = isLabel || isId ? keys.filter((key) => key !== null) : [];
    this.#unmet = new Map(labels.map((key) => [nameOfKey(dimension, key), String(key)]));
  }

  /**
   * A trade without any of several keys has the key null; an open one has no key of its
   * close.
   */
  matches(trade: ClosedTrade): boolean {
    if (this.#isByClose && Number.isNaN(trade.closedMs)) return false;
    const value = this.#fieldValueOf?.(trade);
    // A number is a key, too, if keys are quartiles.
    if (typeof value === 'number' && (this.#isWithin(value) || this.#isWanted(value)))
      return true;

    const keys = this.#keyOf(trade, this.#clock);
    if (typeof keys !== 'object' || keys === null) return this.#isWanted(keys);
    if (keys.length === 0) return this.#isWanted(null);
    return keys.filter((key) => this.#isWanted(key)).length > 0;
  }

  #isWithin(value: number): boolean {
    return this.#bounds.some(
      ({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }) =>
        value >= min && value <= max,
    );
  }

  #isWanted(key: Key): boolean {
    let isWanted = this.#known.get(key);
    if (isWanted === undefined) {
      const name = nameOfKey(this.dimension, key);
      isWanted = this.#wanted.has(name);
      this.#unmet.delete(name);
      if (this.#known.size < MAX_KNOWN) this.#known.set(key, isWanted);
    }

    return isWanted;
  }

  unmet(): NamedLabel[] {
    return [...this.#unmet.values()].map((label) => ({
      dimension: this.dimension,
      label,
    }));
  }
}

export function isBounds(key: unknown): key is Bounds {
  return typeof key === 'object' && key !== null;
}

const MAX_KNOWN = 10_000;

/**
 * Selection of trades: bounds of closed_at as UTC text, trade filters by name, and the
 * unit to count.
 */
export interface Selection {
  range: Range;
  filters: Readonly<Record<string, string>>;
  unit: Unit;
  /** Further condition on a trade, or on a position as a whole. */
  where?: Pick<Condition, 'columns' | 'matches'> | null;
}
