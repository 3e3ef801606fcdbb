/**
 * Exports in the exact form that platforms write. Those of test/fixtures/exports are made up, so that every clone has them; real ones are
 * read from where they lie beside the project, if they do.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { zipSync } from 'fflate';
import { loadAll } from '../../src/import/on-demand.ts';
import { isExhaustive, isThorough } from '../effort.ts';
import { temporaryFolder } from '../helpers.ts';
import { randomNumbers } from '../seed.ts';

// For tests that read exports without the import's own steps.
await loadAll();

const MADE_UP = fileURLToPath(new URL('../fixtures/exports', import.meta.url));
const OF_REPORTS = fileURLToPath(new URL('../fixtures/reported', import.meta.url));
const REAL = fileURLToPath(new URL('../../../shared/data', import.meta.url));

export interface Export {
  /** As in "real kraken/trades.csv". */
  label: string;
  /** Below the folder of exports: kraken/trades.csv. */
  name: string;
  /** --dates, if all its dates fit both orders. */
  dates?: 'dmy' | 'mdy' | undefined;
  /** The path; call it within a test, since files that would be opaque in the repository are created then. */
  path: () => string;
}

/** Folders of real exports that a reader takes. */
const PLATFORMS = new Set(
  (
    'etrade-transactions oanda-transactions ofx-investment questrade-activities questrade-edge-executions revolut-invest ' +
    'tradervue-trades xtb-cash-csv xtb-xlsx bitvavo kucoin-orders mexc-spot-trades okx-trading-history ' +
    'angelone-trades-history fyers-api-tradebook fyers-tradebook groww-pnl sierra-trades-list upstox-trades ' +
    'ctrader-history exness-personal-area ftmo-metrix ig-transaction-history ' +
    'binance bybit coinbase das degiro etoro fidelity formats-seen freqtrade freqtrade-backtest hyperliquid ibkr-activity ibkr-flex ' +
    'ibkr-flex-csv journal-of-a-trader kraken metatrader mt-tester ninjatrader notes robinhood schwab tastytrade thinkorswim topstepx ' +
    'trade-republic tradezella tradezero trading212 tradingview tradovate webull zerodha'
  ).split(' '),
);

/** Exports in the computer's language with dates such as 03/04/2026 alone. */
const DATES: Readonly<Record<string, 'dmy' | 'mdy'>> = {
  'hyperliquid/fills.csv': 'dmy',
  'ninjatrader/NinjaTrader Grid 2026-03-04 04-10 PM.csv': 'mdy',
  'ninjatrader/Trade Performance.csv': 'mdy',
  'formats-seen/nt-perf.csv': 'mdy',
};

/** What isn't an export, and OKX's without the line of its zone. */
const SKIPPED = /^FACTS|\.map\.json$|^okx-trading-history-no-preamble\.csv$/;

/** All exports of these folders, or of all folders. */
export function allExports(folders?: readonly string[]): Export[] {
  const here = (root: string) =>
    existsSync(root)
      ? readdirSync(root, { withFileTypes: true })
          .filter(
            (entry) => entry.isDirectory() && (folders?.includes(entry.name) ?? true),
          )
          .map(({ name }) => name)
          .sort()
      : [];
  return [
    ...here(MADE_UP).flatMap((folder) =>
      names(join(MADE_UP, folder)).map((name) => madeUp(`${folder}/${name}`)),
    ),
    ...here(REAL)
      .filter((folder) => PLATFORMS.has(folder))
      .flatMap((folder) =>
        names(join(REAL, folder))
          .filter((name) => !SKIPPED.test(name))
          .map((name) => real(`${folder}/${name}`)),
      ),
  ];
}

/** The folder of files that users reported, of many platforms. */
const REPORTED = 'reported';

/** Paths of real exports of platforms without a reader. */
export function realOfUnknown(): string[] {
  const folders = existsSync(REAL) ? readdirSync(REAL, { withFileTypes: true }) : [];
  return folders
    .filter(({ name }) => name !== REPORTED && !PLATFORMS.has(name))
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => names(join(REAL, name)).map((file) => join(REAL, name, file)))
    .filter((path) => path.endsWith('.csv'));
}

/** Labels of real files that users reported, each with rows that were once read wrong. */
export function reportedFiles(): string[] {
  const folder = join(REAL, REPORTED);
  if (!existsSync(folder)) return [];
  return names(folder)
    .filter((name) => !SKIPPED.test(name))
    .map((name) => `real ${REPORTED}/${name}`);
}

/**
 * Exports drawn by the seed: half of them in a run that tries some, a third of the made-up ones and
 * a fifth of the real ones in one that tries little.
 */
export function sampled<T extends { label: string }>(exports: readonly T[]): T[] {
  if (isExhaustive) return [...exports];

  const draw = randomNumbers();
  const ofLittle = (label: string) => (label.startsWith('real ') ? 5 : 3);
  return exports.filter(({ label }) => draw(isThorough ? 2 : ofLittle(label)) === 0);
}

/** The made-up export and, if present, the real one, each with its contents. */
export function exportsWith<T>(
  own: readonly [name: string, holds: T],
  other?: readonly [name: string, holds: T],
) {
  const rows = [{ ...madeUp(own[0]), holds: own[1] }];
  if (other && existsSync(join(REAL, other[0])))
    rows.push({ ...real(other[0]), holds: other[1] });
  return rows;
}

/** The path of a file of test/fixtures/reported. */
export function pathOfReported(name: string): string {
  return made(join(OF_REPORTS, name));
}

/** @param label of an existing export */
export function pathOf(label: string): string {
  const [kind, name] = label.split(/ (.*)/) as [string, string];
  return (kind === 'real' ? real(name) : madeUp(name)).path();
}

function names(folder: string): string[] {
  return readdirSync(folder).map(nameOf).sort();
}

function madeUp(name: string): Export {
  return { label: `made-up ${name}`, name, dates: DATES[name], path: () => made(name) };
}

function real(name: string): Export {
  return {
    label: `real ${name}`,
    name,
    dates: DATES[name],
    path: () => join(REAL, name),
  };
}

/** Files kept in readable form: a database as SQL, UTF-16 as UTF-8, a workbook as a folder of its parts. */
function nameOf(kept: string): string {
  return kept.replace(/\.sql$/, '').replace(/\.utf16(?=\.)/, '');
}

function made(name: string): string {
  const path = resolve(MADE_UP, name);
  const target = () => join(temporaryFolder(), name.replace(/.*\//, ''));
  if (existsSync(`${path}.sql`)) {
    const database = target();
    new Database(database).exec(readFileSync(`${path}.sql`, 'utf8')).close();
    return database;
  }
  const wide = path.replace(/(?=\.\w+$)/, '.utf16');
  if (existsSync(wide))
    return written(
      target(),
      Buffer.from(`\ufeff${readFileSync(wide, 'utf8')}`, 'utf16le'),
    );
  if (!statSync(path).isDirectory()) return path;
  const parts = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((part) =>
    /\.(xml|rels)$/.test(part),
  );
  return written(
    target(),
    zipSync(
      Object.fromEntries(parts.map((part) => [part, readFileSync(join(path, part))])),
    ),
  );
}

function written(path: string, bytes: Uint8Array): string {
  writeFileSync(path, bytes);
  return path;
}
