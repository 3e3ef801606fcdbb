/**
 * Mappings proposed for exports of known platforms, compared with the platform's own reader: node bench/mappings.ts [FOLDER]
 * The folder contains folders of exports (default: public files).
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import Database from 'better-sqlite3';
import { KNOWN_FORMATS } from '../src/import/files/recognise.ts';
import { importPaths } from '../src/import/index.ts';
import { loadMapping } from '../src/import/mapping/load.ts';
import { proposedMapping } from '../src/import/mapping/propose.ts';
import { newUser } from '../src/journal-write/users.ts';

const NOW = Date.UTC(2026, 10, 20);
const ROOT = process.argv[2] ?? new URL('../../shared/data', import.meta.url).pathname;

type Trades = Map<string, number>;

interface Row {
  file: string;
  format: string;
  trades: number;
  right: number;
  questions: string[];
  verdict: string;
}

const folder = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
let journals = 0;

/** The fields of trades that figures depend on: symbol, side, times, quantity and result. */
function tradesOf(path: string, options: Partial<Parameters<typeof importPaths>[0]>): Trades {
  const journal = join(folder, `${journals++}.db`);
  importPaths({ paths: [path], journal, now: NOW, date: '2019-01-15', ...options });
  const db = new Database(journal, { readonly: true });
  const rows = db
    .prepare(
      `SELECT symbol, side, status, executed_at, closed_at, round(quantity, 6), round(entry_price, 6), round(gross_pnl, 4),
       round(fees, 4), currency FROM trades`,
    )
    .raw()
    .all();
  db.close();
  const trades: Trades = new Map();
  for (const row of rows) trades.set(JSON.stringify(row), (trades.get(JSON.stringify(row)) ?? 0) + 1);
  return trades;
}

const sizeOf = (trades: Trades) => [...trades.values()].reduce((sum, count) => sum + count, 0);

function compare(path: string): Row | undefined {
  if (!/\.(csv|xlsx)$/i.test(path)) return undefined;
  const bytes = readFileSync(path);
  const start = bytes.subarray(0, 4096).toString();
  const format = KNOWN_FORMATS.find((own) => own.looksLike(start, basename(path)));
  if (format?.holds !== 'trades') return undefined;
  let wanted: Trades;
  try {
    wanted = tradesOf(path, {});
  } catch {
    return undefined;
  }
  const row = {
    file: basename(path),
    format: format.name,
    trades: sizeOf(wanted),
    right: 0,
    questions: [] as string[],
  };
  try {
    const settings = { user: newUser('me', {}), timeZone: undefined };
    const { mapping, questions } = proposedMapping(bytes, basename(path, extname(path)), settings);
    row.questions = questions.filter(({ isAssumed }) => !isAssumed).map(({ about }) => about);
    const file = join(folder, 'map.json');
    writeFileSync(file, JSON.stringify(mapping));
    const made = tradesOf(path, { map: loadMapping(file) });
    row.right = [...wanted].reduce((sum, [key, count]) => sum + Math.min(count, made.get(key) ?? 0), 0);
    const isSame = row.right === row.trades && sizeOf(made) === row.trades;
    return { ...row, verdict: verdictOf(isSame, row.questions) };
  } catch (error) {
    return {
      ...row,
      verdict: `stops: ${(error as Error).message
        .split('\n', 1)[0]
        ?.replace(/^.*?\.(csv|xlsx|json):(\d+:)? /, '')
        .slice(0, 90)}`,
    };
  }
}

function verdictOf(isSame: boolean, questions: readonly string[]): string {
  if (isSame) return questions.length === 0 ? 'right at once' : 'right, once confirmed';
  return questions.length === 0 ? 'differs' : 'differs, and asks';
}

if (!existsSync(ROOT)) throw new Error(`no folder ${ROOT}; pass one`);
const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).sort();
const rows = files.flatMap((name) => compare(join(ROOT, name)) ?? []);
rmSync(folder, { recursive: true });
console.log('| Format | File | Trades | The same by the mapping | Asks about | |');
console.log('|---|---|---|---|---|---|');
for (const { format, file, trades, right, questions, verdict } of rows) {
  console.log(`| ${format} | ${file} | ${trades} | ${right} | ${questions.join(', ')} | ${verdict} |`);
}
const counted = Map.groupBy(rows, ({ verdict }) => verdict.split(':')[0] as string);
console.log([...counted].map(([verdict, own]) => `${own.length} ${verdict}`).join(', '));
