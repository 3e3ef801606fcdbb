/**
 * A day's note that was edited: each record gets what differs between the text as printed
 * and the text as saved, whichever lines stated it. What another program or line wrote
 * since the note was printed is neither overwritten nor removed.
 */
import { type Problem, quote, RowError } from '../errors.ts';
import type { ListResource } from '../journal/resource.ts';
import {
  groupJournals,
  missedTrades,
  tradeJournals,
} from '../journal/resources/journals.ts';
import { same, type Values, type WholeRecord } from '../journal-write/record.ts';
import type { Change, RecordWriter } from '../journal-write/record-writer.ts';
import { isEmpty, itemKey, type Stated } from '../statements/fold.ts';
import type { Said } from '../statements/line.ts';
import { singular } from '../statements/statement-table.ts';
import { placeOf, type StatedRecord } from './note.ts';
import { memberOf, nested } from './put-noted.ts';

/** The edit that is being stored. */
export interface NoteEdit {
  problems: Problem[];
  /**
   * Receives a sentence for each difference that isn't stored, since the value has
   * changed.
   */
  refused: string[];
  /**
   * Of an edit that is read again: names of the fields that it states, by resource and
   * id; null: it removed the record.
   */
  formerly: ReadonlyMap<string, readonly string[] | null> | undefined;
  state(said: Said): void;
  /** @param place of its part in the note */
  remove(
    resource: ListResource,
    stored: WholeRecord | undefined,
    id: string,
    place: number,
  ): void;
}

interface Difference {
  name: string;
  was: unknown;
  now: unknown;
}

/**
 * Says which record it is: stated with any value, so that the line alone is enough for a
 * record.
 */
const IDENTITY: readonly string[] = [
  'date',
  'trade_id',
  'group_id',
  'missed_at',
  'symbol',
  'side',
];

/** What an entry without any text still has. */
const OF_EMPTY_ENTRY: readonly string[] = [
  'id',
  'trade_id',
  'group_id',
  'phase',
  'created_at',
  'updated_at',
];

/** @returns undefined if nothing differs, or nothing of it can be stored */
export function putEdited(
  writer: RecordWriter,
  resource: ListResource,
  record: StatedRecord,
  edit: NoteEdit,
): Change | 'removed' | undefined {
  try {
    return new EditedRecord(writer, resource, record, edit).put();
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    const { file = '', line, lines = {} } = record;
    for (const { field, message } of [error, ...error.others]) {
      const name = field?.split('[')[0];
      const ofField = lines[name ?? ''] ?? lines[name?.split('.')[0] ?? ''];
      edit.problems.push({ file, line: ofField ?? line, message });
    }
    return undefined;
  }
}

class EditedRecord {
  readonly #writer: RecordWriter;
  readonly #resource: ListResource;
  readonly #record: StatedRecord;
  readonly #edit: NoteEdit;
  readonly #id: string;
  readonly #stored: WholeRecord | undefined;
  readonly #formerly: readonly string[] | null | undefined;

  constructor(
    writer: RecordWriter,
    resource: ListResource,
    record: StatedRecord,
    edit: NoteEdit,
  ) {
    this.#writer = writer;
    this.#resource = resource;
    this.#record = record;
    this.#edit = edit;
    this.#id = record.values['id'] as string;
    this.#stored = writer.find(this.#id);
    this.#formerly = edit.formerly?.get(`${resource.path} ${this.#id}`);
  }

  put(): Change | 'removed' | undefined {
    const differences = this.#differences();
    if (this.#formerly === null) return this.#remove();
    if (this.#resource === missedTrades && this.#record.isGone === true)
      return this.#removeMissed();

    const kept = differences.filter((difference) => !this.#isRefused(difference));
    if (kept.length === 0) return undefined;

    return this.#isEmptied(kept) ? this.#remove() : this.#putKept(kept);
  }

  #putKept(kept: readonly Difference[]): Change | undefined {
    const stated: Stated = Object.assign({}, ...kept.map(statedOf));
    const isNew = Object.entries(stated).some(
      ([name, value]) => !isEmpty(value) && !name.endsWith('-'),
    );
    if (!this.#stored && !isNew) return undefined;

    const identity = this.#identity();
    const { defaults = {} } = this.#record;
    const written: Values = {
      id: this.#id,
      ...(this.#stored ? {} : { ...defaults, ...identity }),
      ...Object.fromEntries(
        kept.map((difference) => [difference.name, this.#written(difference, stated)]),
      ),
    };

    if (isNew) {
      for (const [name, value] of Object.entries(defaults)) stated[`${name}?`] = value;
      Object.assign(stated, identity);
    }

    this.#edit.state({ instead: stated });

    return this.#writer.put(withoutEmptyObjects(nested(written, this.#stored?.record)));
  }

  /** What says which record it is. */
  #identity(): Values {
    const values = this.#normalised(this.#record.values);
    return Object.fromEntries(
      IDENTITY.filter((name) => name in values).map((name) => [name, values[name]]),
    );
  }

  /**
   * Fields that differ between the printed and the saved text; of an edit read again,
   * those it states.
   */
  #differences(): Difference[] {
    const [was, now] = [
      this.#normalised(this.#record.was ?? {}),
      this.#normalised(this.#record.values),
    ];
    const { defaults = {} } = this.#record;
    const names = [...new Set([...Object.keys(was), ...Object.keys(now)])].filter(
      (name) => name !== 'id',
    );
    const formerly = this.#formerly ?? (this.#edit.formerly ? [] : undefined);
    const isStated = (name: string) =>
      formerly === undefined ||
      formerly.some((field) => field.replace(/[+-]$/, '') === name);

    return names.flatMap((name): Difference | [] => {
      const difference = {
        name,
        was: cleaned(was[name]),
        now: cleaned(now[name]) ?? defaults[name] ?? null,
      };
      return same(difference.was, difference.now) || !isStated(name) ? [] : difference;
    });
  }

  /** Values as the journal stores them; those that it couldn't store stay as they are. */
  #normalised(values: Readonly<Values>): Values {
    try {
      const { record } = this.#writer.normalised({
        id: this.#id,
        ...nested(values, undefined),
      });
      return Object.fromEntries(
        Object.keys(values).map((name) => [name, memberOf(record, name)]),
      );
    } catch (error) {
      if (!(error instanceof RowError) || values === this.#record.values) throw error;
      return { ...values };
    }
  }

  #current(name: string): unknown {
    return cleaned(this.#stored && memberOf(this.#stored.record, name));
  }

  /** Whether a value has changed since it was printed; the edit then reports it. */
  #isRefused({ name, was, now }: Difference): boolean {
    if (this.#edit.formerly) return false;

    const current = this.#current(name);
    if (isList(was, now)) {
      const changed = itemsOf(was)
        .concat(itemsOf(now))
        .find((item) => isOther(item, was, now, current));
      return changed !== undefined && this.#refuse(name, was, current, now);
    }

    return (
      !same(current, was) && !same(current, now) && this.#refuse(name, was, current, now)
    );
  }

  #refuse(name: string, was: unknown, current: unknown, now: unknown): true {
    const what = `${name} of ${singular(this.#resource)} ${this.#id}`;
    const ours = now === null ? 'its removal' : quote(now);
    this.#edit.refused.push(
      `${what} changed while the note was open: it was ${shown(was)} and is now ${shown(current)}; ${ours} wasn't stored`,
    );
    return true;
  }

  /** A missed trade without its section: removed if it is as printed. */
  #removeMissed(): 'removed' | undefined {
    const { was = {} } = this.#record;
    if (!this.#stored) return undefined;

    const before = this.#normalised(was);
    const changed = Object.keys(before).filter(
      (name) => !same(this.#current(name), cleaned(before[name])),
    );
    for (const name of changed)
      this.#refuse(name, cleaned(before[name]), this.#current(name), null);

    return changed.length > 0 ? undefined : this.#remove();
  }

  /** Whether an entry has nothing left. */
  #isEmptied(kept: readonly Difference[]): boolean {
    const isEntry = this.#resource === tradeJournals || this.#resource === groupJournals;
    if (!isEntry || !this.#stored) return false;

    const stated: Stated = Object.assign({}, ...kept.map(statedOf));
    const after = new Map(
      kept.map((difference) => [difference.name, this.#written(difference, stated)]),
    );

    return Object.entries(this.#stored.record).every(
      ([name, value]) =>
        OF_EMPTY_ENTRY.includes(name) ||
        isEmpty(after.has(name) ? after.get(name) : value),
    );
  }

  #remove(): 'removed' {
    this.#edit.remove(this.#resource, this.#stored, this.#id, placeOf(this.#record));
    return 'removed';
  }

  /** The value that the record gets: of a list, all items. */
  #written({ name, was, now }: Difference, stated: Stated): unknown {
    if (!isList(was, now)) return now;

    const items = new Map(
      itemsOf(this.#current(name)).map((item) => [itemKey(item), item]),
    );
    for (const item of itemsOf(stated[`${name}-`])) items.delete(itemKey(item));
    for (const item of itemsOf(stated[`${name}+`])) items.set(itemKey(item), item);
    return [...items.values()];
  }
}

/** Nothing, an empty list and a text of one dash are the same. */
function cleaned(value: unknown): unknown {
  const isDash = typeof value === 'string' && /^\s*[-–—]\s*$/.test(value);
  return isEmpty(value) || value === '' || isDash ? null : value;
}

/**
 * What is stated of a difference: of a list, the items that it loses and gets, in their
 * order.
 */
function statedOf({ name, was, now }: Difference): Stated {
  if (!isList(was, now)) return { [name]: now };

  const left = itemsOf(was).filter((item) =>
    itemsOf(now).some((other) => itemKey(other) === itemKey(item)),
  );
  const items = itemsOf(now);
  const moved = items.findIndex(
    (item, index) => index >= left.length || itemKey(item) !== itemKey(left[index]),
  );
  const after = moved === -1 ? [] : items.slice(moved);
  const fresh = new Set(after.map(itemKey));
  const changed = items
    .slice(0, moved === -1 ? undefined : moved)
    .filter((item) => !isIn(was, item));
  const taken = itemsOf(was).filter(
    (item) => fresh.has(itemKey(item)) || !left.includes(item),
  );
  const stated: Stated = {};
  if (taken.length > 0) stated[`${name}-`] = taken;
  if (changed.length + after.length > 0) stated[`${name}+`] = [...changed, ...after];

  return stated;
}

function isList(was: unknown, now: unknown): boolean {
  return Array.isArray(was ?? now);
}

function itemsOf(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

function isIn(list: unknown, item: unknown): boolean {
  return itemsOf(list).some((other) => same(other, item));
}

/**
 * Whether an item that differs is in the journal with other contents, such as a goal that
 * is met now.
 */
function isOther(item: unknown, was: unknown, now: unknown, current: unknown): boolean {
  if (isIn(was, item) && isIn(now, item)) return false;

  const stored = itemsOf(current).find((other) => itemKey(other) === itemKey(item));
  return stored !== undefined && !isIn(was, stored) && !isIn(now, stored);
}

function shown(value: unknown): string {
  return value === null ? 'empty' : quote(value);
}

/** An object whose members were all removed is none. */
function withoutEmptyObjects(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isObject =
        typeof value === 'object' && value !== null && !Array.isArray(value);
      return [name, isObject && Object.values(value).every(isEmpty) ? null : value];
    }),
  );
}
