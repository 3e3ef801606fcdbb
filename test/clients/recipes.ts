/**
 * The recipes of docs/recipes.md that need large programs: pandas and DuckDB read the service's CSV, and each value is compared with
 * JSON. They are installed into a temporary folder where their registries can be reached; otherwise a line says what was skipped.
 */
import { deepEqual, equal, match } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Access } from './answers.ts';

const PANDAS = 'pandas==2.2.3';
const DUCKDB = '@duckdb/node-api@1.5.6-r.1';

type Any = any;

const docs = readFileSync(new URL('../../docs/recipes.md', import.meta.url), 'utf8');
const block = (language: string) =>
  new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(docs)?.[1] as string;

export async function checkRecipes(access: Access): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'journal-api-recipes-'));
  try {
    const trades = await allTrades(access);
    writeFileSync(join(folder, 'trades.csv'), await tradesAsCsv(access));
    withPandas(folder, access, trades);
    await withDuckDb(folder, trades);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns whether it was installed */
function installed(what: string, ...commands: [string, ...string[]][]): boolean {
  try {
    for (const [command, ...args] of commands)
      execFileSync(command, args, { stdio: 'ignore', timeout: 240_000 });
    console.log(what);
    return true;
  } catch {
    console.log(`skipped: ${what} can't be installed here`);
    return false;
  }
}

/** As JSON, page by page. */
async function allTrades({ url, key }: Access): Promise<Any[]> {
  const trades: Any[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/v1/trades?limit=100${cursor && `&cursor=${cursor}`}`;
    const reply = await fetch(url + path, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const { data, pagination } = (await reply.json()) as Any;
    trades.push(...data);
    cursor = pagination.next_cursor;
  }
  return trades;
}

async function tradesAsCsv({ url, key }: Access): Promise<string> {
  const headers = { Authorization: `Bearer ${key}`, Accept: 'text/csv' };
  return (await fetch(`${url}/v1/trades?limit=10000`, { headers })).text();
}

const FIELDS = [
  'id',
  'symbol',
  'setup',
  'status',
  'net_pnl',
  'entry_price',
  'rating',
  'notes',
] as const;
const fieldsOf = (trades: Any[]) =>
  trades.map((trade) => FIELDS.map((name) => trade[name]));

function withPandas(folder: string, { url, key }: Access, trades: Any[]): void {
  const venv = join(folder, 'venv');
  const python = join(venv, 'bin', 'python');
  const install: [string, ...string[]][] = [
    ['python3', '-m', 'venv', venv],
    [python, '-m', 'pip', 'install', '--quiet', '--retries', '1', PANDAS],
  ];
  if (!installed('recipe of pandas', ...install)) return;
  const script = join(folder, 'recipe.py');
  const compare = `import sys\nsys.stdout.write("\\n===\\n" + trades[${JSON.stringify(FIELDS)}].to_json(orient="values", double_precision=15))\n`;
  writeFileSync(script, `${block('python')}\n${compare}`);
  const env = { ...process.env, JOURNAL_API_URL: url, JOURNAL_API_KEY: key };
  const [table = '', values = ''] = execFileSync(python, [script], {
    env,
    encoding: 'utf8',
  }).split('\n===\n');
  match(table, /setup +count +sum|count +sum\nsetup/);
  const rounded = (rows: Any[][]) =>
    rows.map((row) =>
      row.map((value) =>
        typeof value === 'number' ? Number(value.toPrecision(14)) : value,
      ),
    );
  deepEqual(rounded(JSON.parse(values)), rounded(fieldsOf(trades)));
}

async function withDuckDb(folder: string, trades: Any[]): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{}');
  const install = [
    'install',
    '--prefix',
    folder,
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--silent',
    DUCKDB,
  ];
  if (!installed('recipe of DuckDB', ['npm', ...install])) return;
  const { DuckDBInstance } = createRequire(join(folder, 'package.json'))(
    '@duckdb/node-api',
  );
  const database = await (await DuckDBInstance.create(':memory:')).connect();
  const rows = async (sql: string) =>
    (
      await database.runAndReadAll(
        sql.replaceAll('trades.csv', join(folder, 'trades.csv')),
      )
    ).getRowsJson() as Any[][];

  const sums = new Map<string | null, [number, number]>();
  for (const { setup, net_pnl } of trades) {
    const [count, sum] = sums.get(setup) ?? [0, 0];
    sums.set(setup, [count + 1, sum + (net_pnl ?? 0)]);
  }
  const found = await rows(block('sql').trim().replace(/;$/, ''));
  equal(found.length, sums.size);
  for (const [setup, count, sum] of found) {
    const [expectedCount, expectedSum] = sums.get(setup) as [number, number];
    deepEqual(
      [Number(count), Math.abs(Number(sum ?? 0) - expectedSum) < 0.01],
      [expectedCount, true],
    );
  }
  const source = /read_csv\(.*\)/.exec(block('sql'))?.[0] as string;
  const values = await rows(`SELECT ${FIELDS.join(', ')} FROM ${source}`);
  const asText = (all: Any[][]) =>
    all.map((row) => row.map((value) => (value === null ? null : String(value))));
  deepEqual(asText(values), asText(fieldsOf(trades)));
}
