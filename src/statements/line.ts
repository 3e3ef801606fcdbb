/** What one line of the list of imports states, noted while it writes records. */

import type { ListResource } from '../journal/resource.ts';
import { hasAccount } from '../journal/resources/cash-flows.ts';
import { trades } from '../journal/resources/trades.ts';
import {
  deleteRecord,
  type GivenRecord,
  same,
  type Values,
  type WholeRecord,
} from '../journal-write/record.ts';
import type { Stated } from './fold.ts';
import { type StatedRecords, type Whole, wholeOf } from './stated-records.ts';
import { NO_PLACE, type StatementPlace, standing } from './statement-table.ts';
import { NAMES_TRADE } from './walked-trades.ts';

/** How a record is stated, beyond its values. */
export interface Said extends Partial<StatementPlace> {
  /** In place of the given values: what is added and taken away. */
  instead?: Stated | undefined;
  /** The fields that are stated, if the given values have more than those. */
  names?: readonly string[] | undefined;
  /** Values that hold only if no line states others. */
  defaults?: Readonly<Values> | undefined;
  /** Of a note: whether its record is known by an id, wherever the note is. */
  isById?: boolean | undefined;
  /** Whether the line may state more of the record later. */
  isExplicit?: boolean | undefined;
}

export class LineStatements {
  readonly records: StatedRecords;
  readonly importId: number;
  /**
   * Records before, if it is read again: then what other programs wrote is known already.
   */
  readonly #before: Map<string, Whole | undefined> | undefined;
  /** The number of the next row of a file. */
  #place = 0;
  readonly #noted = new Set<string>();
  /** Records that another program had removed. */
  readonly #revived: { resource: ListResource; id: string }[] = [];
  /** Whether other lines state records, by resource. */
  readonly #others = new Map<string, boolean>();
  #hasStated = false;

  constructor(
    records: StatedRecords,
    importId: number,
    before?: Map<string, Whole | undefined>,
  ) {
    this.records = records;
    this.importId = importId;
    this.#before = before;
  }

  /**
   * Notes a written record.
   * @param stored before
   * @returns whether the line states it for the first time
   */
  note(
    resource: ListResource,
    stored: WholeRecord | undefined,
    whole: WholeRecord,
    given: GivenRecord,
    { instead, names, defaults, isExplicit = false, isById: _, ...place }: Said = {},
  ): boolean {
    this.#hasStated = true;
    const { id } = whole.record;
    this.#keepBefore(resource, id, stored, whole);

    const values = instead
      ? this.#normalised(resource, instead, given)
      : this.#stated(resource, stored?.record, whole.record, given, { names, defaults });
    const where = placeOf(resource, values, {
      ...NO_PLACE,
      place: this.#place++,
      ...place,
    });
    const isPresent =
      !isExplicit &&
      !instead &&
      !names &&
      this.#mayBePresent(resource, id, stored) &&
      // A new record has all that is given; an unchanged one may come with that only.
      (!stored ||
        whole.record === given.record ||
        this.#arePresent(resource, whole, values));

    const { table } = this.records;
    const isFirst = isPresent
      ? table.addPresent(resource.path, id, this.importId, {
          ...where,
          names: Object.keys(values),
          isNew: !stored,
        })
      : table.add(resource.path, id, this.importId, { ...where, stated: values });
    this.#hold(resource, stored && id, values);
    if (where.path !== '') this.#noted.add(`${resource.path} ${id}`);

    return isFirst;
  }

  /** What another program wrote of a record before it was written. */
  #keepBefore(
    resource: ListResource,
    id: string,
    stored: WholeRecord | undefined,
    whole: WholeRecord,
  ): void {
    if (this.#before) this.#remember(resource, id, stored, this.#before);
    else if (!stored) {
      if (this.#mayHave(resource, id)) this.#added(resource, id);
    } else if (stored !== whole)
      this.records.capture(resource, id, this.importId, wholeOf(resource, stored));
  }

  /** Whether a statement may name fields only, whose values the record has. */
  #mayBePresent(
    resource: ListResource,
    id: string,
    stored: WholeRecord | undefined,
  ): boolean {
    const isAlone = !this.#before || !this.records.table.hasOf(resource.path, id);
    // Of a trade made from fills, what another program writes later would look like the
    // line's.
    const isOfMade = stored !== undefined && this.records.isMade(resource, id);
    return (
      isAlone && !isOfMade && (!stored || this.records.isWrittenByLine(resource, id))
    );
  }

  #remember(
    resource: ListResource,
    id: string,
    stored: WholeRecord | undefined,
    before: Map<string, Whole | undefined>,
  ): void {
    const key = `${resource.path} ${id}`;
    if (!before.has(key)) before.set(key, stored && wholeOf(resource, stored));
  }

  /** Whether it has stated anything yet. */
  get hasStated(): boolean {
    return this.#hasStated;
  }

  /** A note no longer states a record. */
  withdraw(resource: string, id: string, path: string): void {
    this.records.table.add(resource, id, this.importId, {
      ...NO_PLACE,
      path,
      stated: {},
    });
  }

  /** Whether it has stated a record as a note. */
  hasNoted(resource: ListResource, id: string): boolean {
    return this.#noted.has(`${resource.path} ${id}`);
  }

  /** What it would state of a record. */
  statedBy(resource: ListResource, given: GivenRecord, said: Said): Stated {
    return this.#stated(resource, undefined, {}, given, said);
  }

  /**
   * Removes a record, whichever lines state it.
   * @param place of its part in a note as printed
   * @throws UserError if other records refer to it
   */
  remove(
    resource: ListResource,
    stored: WholeRecord | undefined,
    { user, id, place = null }: { user: string; id: string; place?: number | null },
  ): void {
    const { table, db } = this.records;
    this.#hasStated = true;
    if (this.#before) this.#remember(resource, id, stored, this.#before);
    else if (stored) {
      this.records.capture(resource, id, this.importId);
      table.addForeign(resource.path, id, this.importId, {
        created_at: stored.record['created_at'],
      });
      deleteRecord(db, resource, user, id);
    }

    table.addRemoved(resource.path, id, this.importId, place);
  }

  /** Whether other lines may state a record: in a first import, none does. */
  #mayHave({ path }: ListResource, id: string): boolean {
    const { table } = this.records;
    const has = this.#others.get(path) ?? table.hasOthers(path, this.importId);
    this.#others.set(path, has);
    return has && table.hasOf(path, id);
  }

  /**
   * Removes again what another program had removed: the same file says nothing new of it.
   * @returns the number of records
   */
  removeRevived(user: string): number {
    for (const { resource, id } of this.#revived.toReversed()) {
      this.records.table.forgetLine(resource.path, id, this.importId);
      deleteRecord(this.records.db, resource, user, id);
    }
    return this.#revived.length;
  }

  /** A record that another program had removed is there again. */
  #added(resource: ListResource, id: string): void {
    const { table } = this.records;
    const rows = standing(table.rowsOf(resource.path, id)).filter(
      (row) => row.import_id < this.importId,
    );
    if (!rows.some((row) => table.isWhole(row, resource))) return;

    table.addForeign(resource.path, id, this.importId, null);
    this.#revived.push({ resource, id });
  }

  #normalised(resource: ListResource, stated: Stated, { record }: GivenRecord): Stated {
    const flat = this.records.table.kindsOf(resource).flat(record);
    return Object.fromEntries(
      Object.entries(stated).map(([name, value]) => [
        name,
        name in flat ? flat[name] : value,
      ]),
    );
  }

  /**
   * What is given of a record, with the default account and currency.
   * @param stored the record before
   */
  #stated(
    resource: ListResource,
    stored: Values | undefined,
    record: Values,
    { record: values, executions, keepsAccount }: GivenRecord,
    { names, defaults = {} }: Said,
  ): Stated {
    const { id, updated_at: _, ...given } = values;
    const all: Values = executions ? { ...given, executions } : { ...given };
    const isWhole =
      hasAccount(resource) &&
      !keepsAccount &&
      (executions !== undefined || resource.orderBy in given);
    if (isWhole && all['account'] === undefined)
      all['account'] = this.#accountOf(resource, id, stored, record);
    const hasCurrency = isWhole || (!hasAccount(resource) && 'currency' in record);
    if (hasCurrency && all['currency'] === undefined)
      all['currency'] = record['currency'];
    const flat = this.records.table.kindsOf(resource).flat(all);
    if (!names) return flat;

    const stated: Stated = Object.fromEntries(
      names.map((name) => [name, flat[name] ?? null]),
    );
    for (const [name, value] of Object.entries(defaults)) stated[`${name}?`] = value;
    return stated;
  }

  /**
   * The account of a record of which the line names none: as other lines do, before
   * renames.
   */
  #accountOf(
    { path }: ListResource,
    id: string,
    stored: Values | undefined,
    record: Values,
  ): unknown {
    const account = record['account'];
    // Only a new record gets the default account, or one that had none.
    if (!stored || stored['account'] !== account) return account;

    const rows = this.records.table.rowsOf(path, id);
    const named = rows.flatMap((row) => row.account ?? []);
    if (named.length === 0) return account;
    return named.findLast((name) => name !== '') ?? null;
  }

  #arePresent(resource: ListResource, whole: WholeRecord, stated: Stated): boolean {
    const present = this.records.table.kindsOf(resource).flat(wholeOf(resource, whole));
    // An account may have been renamed since.
    return Object.entries(stated).every(
      ([name, value]) => name === 'account' || same(present[name] ?? null, value ?? null),
    );
  }

  /** Remembers the trades that something is said about. */
  #hold(resource: ListResource, known: string | undefined, stated: Stated): void {
    if (resource === trades) {
      if (known !== undefined) this.records.holdNew(known);
      return;
    }
    for (const name of NAMES_TRADE)
      if (typeof stated[name] === 'string') this.records.holdNew(stated[name]);
  }
}

/**
 * Where a line states values. Of a trade or cash flow, the account that its file names,
 * which they get too.
 */
function placeOf(
  resource: ListResource,
  values: Stated,
  place: StatementPlace,
): StatementPlace {
  if (!hasAccount(resource) || !('account' in values)) return { ...place, account: null };

  const account = place.account ?? (values['account'] as string | null) ?? '';
  values['account'] = account || null;
  return { ...place, account };
}
