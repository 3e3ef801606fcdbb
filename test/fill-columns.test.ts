/** The table of fills: its declaration and schema.sql. */
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { factsOf } from '../src/journal/fields.ts';
import { FILL_COLUMNS } from '../src/statements/fill-row.ts';

const TYPES = {
  number: 'REAL',
  flag: 'INTEGER',
  text: 'TEXT',
  instant: 'TEXT',
  date: 'TEXT',
} as const;

test('the columns of a fill are declared as schema.sql has them', () => {
  const db = new Database(':memory:');
  db.exec(readFileSync(new URL('../schema.sql', import.meta.url), 'utf8'));
  const stored = db
    .prepare(
      'SELECT name, type, "notnull" FROM pragma_table_info(\'fills\') WHERE name <> ?',
    )
    .all('user_id');
  const declared = Object.entries(FILL_COLUMNS).map(([name, schema]) => {
    const { kind } = factsOf(schema);
    return {
      name,
      type: TYPES[kind as keyof typeof TYPES],
      notnull: Number(!(schema instanceof z.ZodNullable)),
    };
  });
  const advice = 'FILL_COLUMNS (declared) and schema.sql, in the same order';
  expect(declared, advice).toEqual(stored);
  const [sql] = db
    .prepare("SELECT sql FROM sqlite_schema WHERE name = 'fills'")
    .pluck()
    .all() as [string];
  const choices = Object.entries(FILL_COLUMNS).flatMap(([name, schema]) => {
    const { values } = factsOf(schema);
    return values ? `${name} IN (${values.map((value) => `'${value}'`).join(', ')})` : [];
  });
  expect(choices).not.toEqual([]);
  expect(choices.filter((choice) => !sql.includes(choice))).toEqual([]);
  db.close();
});
