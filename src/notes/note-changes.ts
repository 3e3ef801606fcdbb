/** Changes of records that notes are about. */
import { quote } from '../errors.ts';
import type { ListResource } from '../journal/resource.ts';
import { same, type Values } from '../journal-write/record.ts';
import { isEmpty, itemKey } from '../statements/fold.ts';
import { singular } from '../statements/statement-table.ts';

const VALUES_SHOWN = 20;

/** A value that a record had or got, or a record without a field. */
interface ChangedValue {
  resource: ListResource;
  id: string;
  /** Undefined: the whole record. */
  field?: string;
  was?: unknown;
  /** Undefined: it is gone. */
  now?: unknown;
}

/**
 * What became of records that notes are about: names values that were replaced, and those
 * that are gone.
 */
export class NotedChanges {
  readonly #before = new Map<string, { resource: ListResource; record: Values }>();
  readonly #values: ChangedValue[] = [];

  /** A record before it may change; only the first time counts. */
  seen(resource: ListResource, record: Values): void {
    const key = `${resource.path} ${record['id']}`;
    if (!this.#before.has(key)) this.#before.set(key, { resource, record });
  }

  /**
   * Looks at the records once all is written.
   * @returns the number of those that changed or are gone
   */
  compare(find: (resource: ListResource, id: string) => Values | undefined): number {
    let count = 0;
    for (const { resource, record } of this.#before.values()) {
      const id = record['id'] as string;
      const now = find(resource, id);
      const changed = now ? changedValues(record, now) : [{}];
      if (!now || isChanged(record, now)) count++;
      for (const change of changed) this.#values.push({ resource, id, ...change });
    }

    return count;
  }

  /** @param replaced whether replaced values are named, too */
  notes(replaced: boolean): string[] {
    const replacing = replaced ? this.#values.filter(({ now }) => now !== undefined) : [];
    const gone = this.#values.filter(({ now }) => now === undefined);

    return [
      ...shortened('replaced', replacing, ({ field, was, now, ...of }) => {
        return `${field} of ${nameOf(of)}: ${quote(was)} is now ${quote(now)}`;
      }),
      ...shortened('removed', gone, ({ field, was, ...of }) => {
        return field === undefined
          ? nameOf(of)
          : `${field} of ${nameOf(of)}: ${quote(was)}`;
      }),
    ];
  }
}

function nameOf({ resource, id }: Pick<ChangedValue, 'resource' | 'id'>): string {
  return `${singular(resource)} ${id}`;
}

function shortened(
  verb: string,
  values: readonly ChangedValue[],
  named: (value: ChangedValue) => string,
): string[] {
  const notes = values.slice(0, VALUES_SHOWN).map((value) => `${verb} ${named(value)}`);
  const more = values.length - notes.length;
  return more > 0 ? [...notes, `${verb} ${more} more values`] : notes;
}

function isChanged(before: Values, now: Values): boolean {
  return Object.keys(before).some(
    (name) => name !== 'updated_at' && !same(before[name], now[name]),
  );
}

type FieldChange = Required<Pick<ChangedValue, 'field' | 'was'>> & { now?: unknown };

/**
 * Values that were replaced, and values and items that are gone; those of objects by
 * member.
 */
function changedValues(before: Values, now: Values): FieldChange[] {
  return Object.entries(before).flatMap(([field, was]) =>
    field === 'updated_at'
      ? []
      : changesOf(field, was, Object.hasOwn(now, field) ? now[field] : undefined),
  );
}

function changesOf(field: string, was: unknown, now: unknown): FieldChange[] {
  if (isEmpty(was) || same(was, now)) return [];
  if (isObject(was)) {
    const members = changedValues(was, isObject(now) ? now : {});
    return members.map((change) => ({ ...change, field: `${field}.${change.field}` }));
  }

  const gone = itemsGone(was, now);
  if (gone.length > 0) return [{ field, was: gone }];
  if (isEmpty(now)) return [{ field, was }];

  return field === 'attachments' ? [] : [{ field, was, now }];
}

/** The items of a list that another lacks. */
function itemsGone(was: unknown, now: unknown): unknown[] {
  if (!Array.isArray(was) || !Array.isArray(now)) return [];
  const keys = new Set(now.map(itemKey));
  return was.filter((item) => !keys.has(itemKey(item)));
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
