/** docs/recipes.md: what of it runs without the programs it is for, and Python's own reader of CSV. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { parse as parseCsv } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { RESOURCES } from '../src/journal/resources/index.ts';
import { addRecord, FEEDS, temporaryFolder, tradeRow, World } from './helpers.ts';

type Any = any;

const docs = readFileSync(new URL('../docs/recipes.md', import.meta.url), 'utf8');
const blocks = [...docs.matchAll(/```(\w+)\n(.*?)```/gs)].map(
  ([, language, text]) => [language, text] as [string, string],
);
const blocksOf = (language: string) =>
  blocks.filter(([own]) => own === language).map(([, text]) => text);

const hasPython = (() => {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const UGLY = [
  '=1+1',
  '-2+3',
  '@x',
  ' ä, "b"; c\r\nd ',
  '',
  '""',
  "'",
  '-',
  'NA',
  '\u2028',
];

function filled(): { world: World; key: string } {
  const world = new World();
  world.now = Date.parse('2026-11-20T23:00:00.000Z');
  for (const { path } of RESOURCES)
    if (!FEEDS.includes(path)) addRecord(world, path, 'r-1', '2026-11-10T10:00:00.000Z');
  UGLY.forEach((notes, i) => {
    const executed_at = `2026-11-20T1${i % 3}:0${i}:00.000Z`;
    world.insert(
      'trades',
      tradeRow(`t-${i}`, {
        notes,
        executed_at,
        gross_pnl: i - 3.25,
        tags: JSON.stringify(UGLY.slice(0, i)),
      }),
    );
  });
  world.db.exec(
    `UPDATE sessions SET review = '{"lesson":"a\\nb","rating":3,"mistakes":["x","y"]}'`,
  );
  return { world, key: world.key() };
}

test('each is short, and none has a key in an address', () => {
  expect(blocks.length).toBeGreaterThan(7);
  for (const [language, text] of blocks) {
    expect([language, text.split('\n').length]).toEqual([
      language,
      expect.toSatisfy((lines: number) => lines <= 15),
    ]);
    expect(text).not.toMatch(/https?:\S*(key|token|jak_)/i);
  }
});

test('Google Sheets: the rows of the service, without formulas', async () => {
  const { world, key } = filled();
  const [code = ''] = blocksOf('js');
  const csv = (
    await world.ask('/v1/trades?limit=10000', { key, headers: { Accept: 'text/csv' } })
  ).text;
  const sent: Any[] = [];
  let written: string[][] = [];
  // Stand-ins for Google's objects.
  const sheet = {
    clearContents: () => undefined,
    getRange: (...place: number[]) => ({
      setValues: (rows: string[][]) => (written = [place.map(String), ...rows]),
    }),
  };
  runInNewContext(`${code}\nrefresh();`, {
    PropertiesService: { getScriptProperties: () => ({ getProperty: () => key }) },
    UrlFetchApp: {
      fetch: (...request: Any[]) => sent.push(request) && { getContentText: () => csv },
    },
    Utilities: {
      parseCsv: (text: string) => parseCsv(text, { record_delimiter: '\r\n' }),
    },
    SpreadsheetApp: { getActive: () => ({ getSheetByName: () => sheet }) },
  });
  const [[address, { headers }]] = sent as [[string, Any]];
  expect([address, headers.Authorization]).toEqual([
    expect.not.stringContaining(key),
    `Bearer ${key}`,
  ]);
  const [place, header = [], ...rows] = written;
  expect(place).toEqual(['1', '1', String(rows.length + 1), String(header.length)]);
  for (const cell of rows.flat())
    expect(/^[=+\-@\t\r]/.test(cell) && Number.isNaN(Number(cell))).toBe(false);
  const [notes, net] = ['notes', 'net_pnl'].map((name) =>
    rows.map((row) => row[header.indexOf(name)]),
  );
  expect(notes).toEqual(expect.arrayContaining(["'=1+1", "'-2+3", "'@x", "'-", 'NA']));
  expect(net).toContain('-3.25');
});

test('Excel: the file has the columns', async () => {
  const { world, key } = filled();
  const { text } = await world.ask('/v1/trades', {
    key,
    headers: { Accept: 'text/csv' },
  });
  const [header = ''] = text.split('\r\n');
  const typed = [...(blocksOf('powerquery')[0] ?? '').matchAll(/\{"(\w+)", type/g)].map(
    ([, name]) => name,
  );
  expect(typed).toEqual(['closed_at', 'net_pnl']);
  expect(header.split(',')).toEqual(expect.arrayContaining(typed));
});

test('Grafana: the address has the rows and columns', async () => {
  const { world, key } = filled();
  const [source] = parseYaml(blocksOf('yaml')[0] as string).datasources;
  const [, address = '', rows = '', time = '', number = ''] =
    /URL `([^`]+)`, rows `([^`]+)`, columns `(\w+)` \(time\) and\s`(\w+)`/.exec(docs) ??
    [];
  expect(source.jsonData.allowedHosts).toEqual([new URL(address).origin]);
  const { body } = await world.ask(address.replace(/^https?:\/\/[^/]+/, ''), { key });
  const found = rows.split('.').reduce((value: Any, name) => value[name], body);
  expect(found.at(-1)).toMatchObject({
    [time]: '2026-11-20',
    [number]: expect.any(Number),
  });
});

test('Home Assistant: the address has the value', async () => {
  const { world, key } = filled();
  const secret = { tag: '!secret', resolve: (name: string) => name };
  const [sensor] = parseYaml(blocksOf('yaml')[1] as string, {
    customTags: [secret],
  }).sensor;
  expect(sensor.headers.Authorization).toBe('journal_authorization');
  const { body } = await world.ask(sensor.resource.replace(/^https?:\/\/[^/]+/, ''), {
    key,
  });
  const [, path = ''] = /^\{\{ value_json\.(\S+) \}\}$/.exec(sensor.value_template) ?? [];
  expect(path.split('.').reduce((value: Any, name) => value[name], body)).toBe(12.5);
});

/** Reads CSV and JSON Lines with Python's own modules; prints both as JSON. */
const READER = `import csv, json, sys
rows = {}
for path in sys.argv[1:]:
    with open(path + ".csv", encoding="utf-8", newline="") as table, open(path + ".ndjson", encoding="utf-8", newline="\\n") as lines:
        rows[path] = [list(csv.DictReader(table, strict=True)), [json.loads(line) for line in lines]]
json.dump(rows, sys.stdout)`;

test.skipIf(!hasPython)(
  "Python's csv and json read the same as JSON has (needs python3)",
  async () => {
    const { world, key } = filled();
    const folder = temporaryFolder();
    const expected: Record<string, Any[]> = {};
    for (const { path } of RESOURCES) {
      const asked = (accept: string) =>
        world.ask(`/v1/${path}?limit=100`, { key, headers: { Accept: accept } });
      writeFileSync(join(folder, `${path}.csv`), (await asked('text/csv')).text);
      writeFileSync(
        join(folder, `${path}.ndjson`),
        (await asked('application/x-ndjson')).text,
      );
      expected[path] = (await asked('application/json')).body.data;
    }
    const read = JSON.parse(
      execFileSync('python3', ['-c', READER, ...Object.keys(expected)], {
        cwd: folder,
        encoding: 'utf8',
      }),
    );
    for (const [path, records] of Object.entries(expected)) {
      const [rows, lines] = read[path];
      expect(lines).toEqual(records);
      expect(rows).toHaveLength(records.length);
      records.forEach((record, i) => {
        for (const [column, cell] of Object.entries(rows[i] as Record<string, string>)) {
          const value =
            column.split('.').reduce((own: Any, name) => own?.[name], record) ?? null;
          expect([path, column, valueIn(cell, value)]).toEqual([path, column, value]);
        }
      });
    }
  },
);

/** What an empty cell is, if it isn't null. */
const EMPTY = new Map<unknown, Any>([
  [Array, []],
  [Object, {}],
]);

/** A cell by the rules of docs/api.md, for a value of that type. */
function valueIn(cell: string, value: Any): Any {
  const type = value?.constructor;
  if (cell === '') return EMPTY.get(type) ?? null;
  if (type === Array) return /^[[{]/.test(cell) ? JSON.parse(cell) : cell.split('; ');
  if (type === Object) return JSON.parse(cell);
  if (type === Number) return Number(cell);
  if (type === Boolean) return cell === 'true';
  return /^(?:"")+$/.test(cell) ? cell.slice(2) : cell;
}
