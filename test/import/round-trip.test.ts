/** Import accepts the API's responses: the same journal stays unchanged, and an empty one then gives the same responses. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { exampleOf } from '../../src/import/example.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import type { Row } from '../../src/sqlite/reader.ts';
import { runs } from '../effort.ts';
import { byPath, journal, settings } from './any-journal.ts';
import { ImportHome } from './home.ts';

/** The lists as the API returns them, one file per resource. */
const COMPUTED = RESOURCES.flatMap(({ path, isComputed }) => (isComputed ? [path] : []));

function pages(
  home: ImportHome,
  everything: Record<string, unknown[]>,
  leaveOut: string[],
): string[] {
  return Object.entries(everything)
    .filter(([path]) => !leaveOut.includes(path) && !COMPUTED.includes(path))
    .map(([path, data]) =>
      home.file(
        `${path}.json`,
        JSON.stringify(
          { data, pagination: { limit: 1000, has_more: false, next_cursor: null } },
          null,
          2,
        ),
      ),
    );
}

const JOURNALS = ['trade-journals', 'group-journals'];

test('a random journal, through its own responses', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(journal, settings, (files, user) => {
      const source = new ImportHome().withUser('me', user);
      const written = Object.entries(files).filter(([, rows]) => rows.length > 0);
      source.import(
        written.map(([path, rows]) => source.lines(`${path}.jsonl`, ...rows)),
      );
      const given = source.everything();
      const kept = withoutOpenResults(given);

      const bytes = source.hash();
      const again = source.import(pages(source, given, ['journal-rows']));
      expect(again.files.every(({ added, changed }) => added + changed === 0)).toBe(true);
      expect(source.hash()).toBe(bytes);

      // Once from the two lists of entries, once from the feed of both.
      for (const leaveOut of [['journal-rows'], JOURNALS]) {
        const copy = new ImportHome().withUser('me', user);
        copy.now += 86_400_000;
        copy.import(pages(copy, given, leaveOut));
        expect(withoutOpenResults(copy.everything())).toEqual(kept);
      }
    }),
    { numRuns: runs(12) },
  );
});

/**
 * Lists have no executions, which decide how the costs of an open trade are shared between the
 * units that it sold and those it still holds.
 */
function withoutOpenResults(journal: Record<string, Row[]>): Record<string, Row[]> {
  const without = (rows: Row[]) =>
    rows.map(({ realised_pnl: result, ...row }) =>
      row['status'] === 'closed' && 'executed_at' in row
        ? { ...row, realised_pnl: result }
        : row,
    );
  return Object.fromEntries(
    Object.entries(journal).map(([path, rows]) => [path, without(rows)]),
  );
}

test('a single trade with its executions', () => {
  const home = new ImportHome().withUser();
  home.import(home.lines('trades.jsonl', exampleOf(byPath('trades'))));
  const executions = home.rows(
    'SELECT executed_at, side, quantity, price, fees FROM executions ORDER BY position',
  );
  const data = {
    ...home.everything()['trades']?.[0],
    executions,
    group: null,
    journals: [],
    group_journals: [],
  };
  const path = home.file('trades.json', JSON.stringify({ data }));
  expect(home.import(path).files[0]).toMatchObject({ unchanged: 1 });

  const copy = new ImportHome().withUser();
  copy.import(path);
  expect(copy.everything()).toEqual(home.everything());
  expect(
    copy.rows(
      'SELECT executed_at, side, quantity, price, fees FROM executions ORDER BY position',
    ),
  ).toEqual(executions);
});

test("another program's forms of values are normalised", () => {
  const home = new ImportHome().withUser();
  home.import(home.lines('trades.jsonl', exampleOf(byPath('trades'))));
  home.write(`
    UPDATE trades SET fx_rate = 1, gross_pnl = 0.1 + 0.2, tags = '[ "b" , "a" ]';
    INSERT INTO sessions (user_id, id, date, goals) VALUES ('me', 's', '2026-11-20', '[{"met": true, "text": "x"}]');
  `);
  const again = home.import(pages(home, home.everything(), ['journal-rows']));
  expect(again.files.every(({ added, changed }) => added + changed === 0)).toBe(true);
});

const IMPORTED = RESOURCES.filter(({ isComputed }) => !isComputed);

test.each(IMPORTED.map((resource) => [resource.path, resource] as const))(
  'the example of %s imports as it is',
  (path, resource) => {
    const home = new ImportHome().withUser();
    const example = exampleOf(resource);
    for (const needed of ['trades', 'trade-groups']) {
      if (JOURNALS.concat('journal-rows').includes(path)) {
        home.import(home.lines(`${needed}.jsonl`, exampleOf(byPath(needed))));
      }
    }
    expect(home.import(home.lines(`${path}.jsonl`, example)).files[0]).toMatchObject({
      added: 1,
    });
    expect(home.everything()[path]?.[0]).toMatchObject(
      Object.fromEntries(
        Object.entries(example).filter(
          ([name]) => name !== 'executions' && name !== 'fx_rate',
        ),
      ),
    );
  },
);
