/**
 * What journals before version 10 kept of records: what each line changed, with values
 * before and after.
 */

import { same, type Values } from '../../journal-write/record.ts';
import { type FieldKinds, isEmpty, type Stated } from '../fold.ts';
import { COMMAND_FORMATS } from '../imports.ts';
import { itemsIn } from '../stated-records.ts';

/** A row of import_changes, with the format of its line. */
export interface OlderRow {
  import_id: number;
  change: 'added' | 'changed' | 'unchanged' | 'removed';
  /** JSON: the changed fields; all fields of a removed record. */
  before: string | null;
  after: string | null;
  path: string | null;
  place: number | null;
  account: string | null;
  clock: string | null;
  digits: number | null;
  format: string | null;
}

/**
 * In place of a position that candles measured, if it isn't known: no position has this
 * number but by chance.
 */
export const UNMEASURED = 0;

/**
 * Who speaks in a line: a rename states nothing of records, a note what it said before,
 * too.
 */
export type Speaker = 'rename' | 'candles' | 'command' | 'note' | 'file';

export function speakerOf({ format, path }: Pick<OlderRow, 'format' | 'path'>): Speaker {
  if (format === 'account') return 'rename';
  if (format === 'excursions') return 'candles';
  if (COMMAND_FORMATS.includes(format ?? '')) return 'command';
  return path !== null || format === 'markdown' ? 'note' : 'file';
}

/**
 * Rows in the order in which they were written: that of their lines, but a file that was
 * read again changed what a later line had added.
 */
export function inOrder(rows: readonly OlderRow[]): OlderRow[] {
  const added = rows.findIndex(({ change }) => change === 'added');
  const earlier = rows.slice(0, Math.max(added, 0));
  if (earlier.length === 0 || earlier.some(({ change }) => change === 'removed'))
    return [...rows];
  return [rows[added] as OlderRow, ...earlier, ...rows.slice(added + 1)];
}

export function imageOf(text: string | null): Values {
  return text === null ? {} : ((JSON.parse(text) as Values | null) ?? {});
}

/**
 * What changes values into others.
 * @param isAppending whether text may be added to the end of another, as commands do
 */
export function changeOf(
  kinds: FieldKinds,
  from: Readonly<Values>,
  to: Readonly<Values>,
  isAppending = false,
): Stated {
  const [before, after] = [kinds.flat(from), kinds.flat(to)];
  const stated: Stated = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [before[name], after[name]];
    if (same(was, is) || (isEmpty(was) && isEmpty(is))) continue;

    const added = isAppending ? paragraphAfter(was, is) : undefined;
    if (kinds.isList(name)) Object.assign(stated, itemsIn(name, was, is));
    else if (added !== undefined) stated[`${name}+`] = added;
    else stated[name] = is ?? null;
  }

  return stated;
}

function paragraphAfter(was: unknown, is: unknown): string | undefined {
  if (typeof was !== 'string' || typeof is !== 'string') return undefined;
  return is.startsWith(`${was}\n\n`) ? is.slice(was.length + 2) : undefined;
}

/** What a line states that said the same before, and now more. */
export function extended(
  kinds: FieldKinds,
  stated: Readonly<Stated>,
  more: Readonly<Stated>,
): Stated {
  const all: Stated = { ...stated };
  for (const [key, value] of Object.entries(more)) {
    const name = nameIn(key);
    const before = all[key];
    if (!kinds.isList(name)) {
      all[key] = key.endsWith('+') && !isEmpty(before) ? `${before}\n\n${value}` : value;
      delete all[`${name}?`];
      continue;
    }

    const items = value as readonly unknown[];
    if (key.endsWith('-')) withoutItems(all, name, items);
    all[key] = [...((before ?? []) as readonly unknown[]), ...items];
  }

  return all;
}

/**
 * What a file still says after others have spoken: where they did, its word holds only
 * without theirs.
 */
export function overridden(
  kinds: FieldKinds,
  stated: Readonly<Stated>,
  by: Readonly<Stated>,
): Stated {
  const left: Stated = { ...stated };
  for (const [key, value] of Object.entries(by)) {
    const name = nameIn(key);
    if (kinds.isList(name)) {
      if (key.endsWith('-')) withoutItems(left, name, value as readonly unknown[]);
    } else if (name in left) {
      left[`${name}?`] = left[name];
      delete left[name];
    }
  }

  return left;
}

function withoutItems(stated: Stated, name: string, items: readonly unknown[]): void {
  for (const key of [name, `${name}+`]) {
    const present = stated[key] as readonly unknown[] | undefined;
    if (present)
      stated[key] = present.filter((item) => !items.some((other) => same(item, other)));
  }
}

/** The field of a statement's key. */
export function nameIn(key: string): string {
  return key.replace(/[+?-]$/, '');
}
