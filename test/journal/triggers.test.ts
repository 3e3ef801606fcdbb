/** Triggers of the file for edits by hand, in every table that needs them. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { createJournalInMemory } from '../../src/journal-write/open.ts';
import { addRecord, ROWS, World } from '../helpers.ts';

const AT = '2026-11-18T10:00:00.000Z';
const LONG_AGO = '2026-01-01T00:00:00.000Z';

const schema = createJournalInMemory();
const columnsOf = (table: string): string[] =>
  schema.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
const tables = schema
  .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
  .pluck()
  .all() as string[];
const listOf = Object.fromEntries(
  Object.keys(ROWS).map((path) => [ROWS[path]!('x', AT).table, path]),
);

describe('an edit by hand changes updated_at', () => {
  const touched = tables.filter((table) => columnsOf(table).includes('updated_at'));

  test('in each table of records', () => {
    expect(touched.toSorted()).toEqual(['users', ...Object.keys(listOf)].toSorted());
  });

  test.each(touched)('%s: only of the edited row, unless the edit sets it', (table) => {
    const world = new World();
    world.addUser('you');
    for (const user of ['me', 'you'])
      if (listOf[table]) addRecord(world, listOf[table], 'r', AT, user);
    const owner = table === 'users' ? 'id' : 'user_id';
    const updatedAt = (user: string) =>
      world.db
        .prepare(`SELECT updated_at FROM ${table} WHERE ${owner} = ?`)
        .pluck()
        .get(user);
    world.db.prepare(`UPDATE ${table} SET updated_at = ?`).run(LONG_AGO);
    expect([updatedAt('me'), updatedAt('you')]).toEqual([LONG_AGO, LONG_AGO]);
    world.db.prepare(`UPDATE ${table} SET created_at = ? WHERE ${owner} = 'me'`).run(AT);
    expect(updatedAt('me')).not.toBe(LONG_AGO);
    expect(updatedAt('you')).toBe(LONG_AGO);
  });
});

describe('lists of texts accept only texts', () => {
  const words = RESOURCES.filter((resource) => resource.table !== null).flatMap(
    (resource) =>
      Object.entries(resource.record.shape)
        .filter(
          ([, field]) =>
            field instanceof z.ZodArray && field.element instanceof z.ZodString,
        )
        .map(([name]) => [resource.path, resource.table as string, name] as const)
        .filter(([, table, name]) => columnsOf(table).includes(name)),
  );

  test('each resource that a person labels has one', () => {
    const labelled = Object.keys(ROWS).filter((path) => path !== 'cash-flows');
    expect([...new Set(words.map(([path]) => path))].toSorted()).toEqual(
      labelled.toSorted(),
    );
  });

  test.each(words)('%s (%s): %s', (path, table, name) => {
    const world = new World();
    addRecord(world, path, 'good', AT);
    const { row } = ROWS[path]!('bad', AT);
    for (const wrong of ['[1]', '["a",null]', '[["a"]]', '[{"a":"b"}]']) {
      const refusal = /must be JSON lists of strings/;
      expect(() => world.insert(table, { ...row, [name]: wrong })).toThrow(refusal);
      expect(() =>
        world.db.prepare(`UPDATE ${table} SET ${name} = ?`).run(wrong),
      ).toThrow(refusal);
    }
    world.insert(table, { ...row, [name]: '["a",""]' });
  });
});
