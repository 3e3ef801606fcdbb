/**
 * Two imports of the same rows: the second file is the first one read in another zone, saved again,
 * copied, or another part of the same history.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { UsageError, UserError } from '../../src/errors.ts';
import { changeImport } from '../../src/import/change.ts';
import { renameAccount } from '../../src/import/edit/accounts.ts';
import type { ImportOptions } from '../../src/import/index.ts';
import { loadMapping } from '../../src/import/mapping/load.ts';
import type { Row } from '../../src/sqlite/reader.ts';
import { allExports, pathOf, reportedFiles } from './exports.ts';
import { ImportHome, TRADE } from './home.ts';
import { halvesOf, OriginalFile, RESAVED } from './resaved.ts';

export interface Fixture {
  label: string;
  path: () => string;
}

/** How the journal came to hold the first file. */
export const STATES = ['plain', 'utc', 'new york', 'zone changed', 'account changed'] as const;
export type State = (typeof STATES)[number];

const ZONES = { UTC: 'UTC', 'New York': 'America/New_York', Tokyo: 'Asia/Tokyo' };

export type Outcome = 'same' | 'refused' | 'unhelpful' | 'wrong';

/** Counts and sums by table, account, symbol and currency. */
export type Totals = Record<string, readonly number[]>;

export interface Cell {
  outcome: Outcome;
  /** The refusal, or the difference. */
  message: string;
  totals: Totals;
}

type Options = Partial<ImportOptions>;

/** The second file, with what comes before it. */
interface Second {
  path: string;
  options?: Options;
  /** Renames all accounts first. */
  isRenamed?: boolean;
  /** Whether a refusal is an error, too. */
  mustBeSame?: boolean;
  /** Words of a refusal that names no import, but another remedy. */
  remedy?: RegExp;
}

/** A journal with the first file, and the totals that it must still have after the second one. */
interface Prepared {
  home: ImportHome;
  bytes: Buffer;
  truth: Totals;
}

const HALVES = ['last half after first', 'first half after last'] as const;

const TYPED = Object.keys(ZONES).map((name) => `zone ${name}`);

/** A half in another zone than the first one. */
const HALF_IN_ZONE = 'last half in zone Tokyo';

export const VARIANTS: readonly string[] = [
  'same bytes',
  'copied',
  'copied under another name',
  'zone left out',
  ...TYPED,
  'account renamed',
  ...Object.keys(RESAVED),
  ...HALVES,
  HALF_IN_ZONE,
];

/** For exports with times only, and for those that name no symbol. */
const MORE: readonly Options[] = [{}, { date: '2026-01-15' }, { symbol: 'MNQ' }, { date: '2026-01-15', symbol: 'MNQ' }];

const QUERIES = {
  trades: `SELECT coalesce(account, '') || ' ' || symbol || ' ' || currency AS key,
      count(*) AS count, total(quantity) AS quantity, total(gross_pnl) AS gross,
      total(net_pnl) AS net, total(fees) AS fees
    FROM trades GROUP BY key ORDER BY key`,
  fills: `SELECT coalesce(account, '') || ' ' || symbol || ' ' || currency AS key,
      count(*) AS count, total(quantity) AS quantity, total(fees) AS fees
    FROM fills GROUP BY key ORDER BY key`,
  other: `SELECT 'records' AS key, (SELECT count(*) FROM sessions) AS sessions,
      (SELECT count(*) FROM missed_trades) AS missed,
      (SELECT count(*) FROM trade_journals) AS entries`,
};

function totalsOf(home: ImportHome): Totals {
  const totals: Record<string, number[]> = {};
  for (const [table, sql] of Object.entries(QUERIES)) {
    for (const { key, ...sums } of home.rows(sql)) {
      totals[`${table} ${key}`] = Object.values(sums).map((sum) => Number(Number(sum).toPrecision(10)));
    }
  }
  return totals;
}

/** The first differences, as in "trades  MNQZ6 USD: 3 to 6". */
function differencesOf(before: Totals, after: Totals): string {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const different = keys.filter((key) => !isNear(before[key] ?? [], after[key] ?? []));
  const shown = different.slice(0, 3).map((key) => {
    const [from, to] = [before[key]?.join(' '), after[key]?.join(' ')];
    return `${key}: ${from ?? 'none'} to ${to ?? 'none'}`;
  });
  const counts = (['trades', 'fills'] as const).map((table) => {
    const [from, to] = [countIn(before, table), countIn(after, table)];
    return `${table} ${from} to ${to}`;
  });
  return different.length === 0 ? '' : `${counts.join(', ')} (${shown.join('; ')})`;
}

function countIn(totals: Totals, table: string): number {
  const rows = Object.entries(totals).filter(([key]) => key.startsWith(`${table} `));
  return rows.reduce((sum, [, [count = 0]]) => sum + count, 0);
}

/** Sums of the same amounts in another order differ in their last digits. */
function isNear(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((value, index) => {
    const other = b[index] as number;
    return Math.abs(value - other) <= 1e-7 * Math.max(1, Math.abs(value), Math.abs(other));
  });
}

/** All cells of one fixture. Call it within a test: its folder is removed at the end. */
export class FixtureMatrix {
  readonly #fixture: Fixture;
  readonly #file: OriginalFile;
  readonly #options: Options | undefined;
  readonly #prepared = new Map<string, Prepared | undefined>();
  #files = 0;

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
    const path = fixture.path();
    this.#file = new OriginalFile(path, fixture.label);
    this.#options = this.#optionsFor(path);
  }

  /** Whether a first import of the file gives trades or fills. */
  get isImported(): boolean {
    return this.#options !== undefined;
  }

  /** @returns undefined if the variant changes nothing in this file, or doesn't apply */
  cell(variant: string, state: State): Cell | undefined {
    if (!this.#options) return undefined;
    // The user's zone is UTC: whether it was typed matters only for the zones that follow.
    if (state === 'utc' && !variant.startsWith('zone ')) return undefined;
    const prepared = this.#preparedFor(variant, state);
    const second = prepared && this.#second(variant, state, prepared.home);
    return second && this.#outcome(prepared, second);
  }

  #optionsFor(path: string): Options | undefined {
    const file = path.replace(/\.\w+$/, '.map.json');
    const map = existsSync(file) ? { map: loadMapping(file) } : {};
    for (const more of MORE) {
      const home = homeOf();
      const options = { ...more, ...map };
      try {
        home.import(path, options);
      } catch (error) {
        if (error instanceof UserError) continue;
        throw error;
      }
      const totals = totalsOf(home);
      if (countIn(totals, 'trades') + countIn(totals, 'fills') > 0) return options;
    }
    return undefined;
  }

  /** The journal before the second file, made once for all variants that begin with it. */
  #preparedFor(variant: string, state: State): Prepared | undefined {
    const first = this.#firstOf(variant);
    if (!first) return undefined;
    const name = `${first.name} ${state}`;
    if (!this.#prepared.has(name)) this.#prepared.set(name, this.#prepare(first.bytes, state));
    return this.#prepared.get(name);
  }

  /** The first file; undefined: the whole one. */
  #firstOf(variant: string): { name: string; bytes?: Buffer } | undefined {
    const [after, before] = HALVES;
    if (variant !== after && variant !== before && variant !== HALF_IN_ZONE) {
      return { name: 'whole' };
    }
    const halves = halvesOf(this.#file);
    if (!halves) return undefined;
    return variant === before ? { name: 'last half', bytes: halves[1] } : { name: 'first half', bytes: halves[0] };
  }

  #prepare(first: Buffer | undefined, state: State): Prepared | undefined {
    const home = homeOf();
    const path = first ? this.#written(home, this.#file.name, first) : this.#file.path;
    if (!this.#bring(home, path, state)) return undefined;
    const whole = first ? homeOf() : home;
    if (first && !this.#bring(whole, this.#file.path, state)) return undefined;
    return { home, bytes: home.bytes(), truth: totalsOf(whole) };
  }

  /** @returns whether the journal is in this state, with rows of the file */
  #bring(home: ImportHome, path: string, state: State): boolean {
    const zone = { utc: ZONES.UTC, 'new york': ZONES['New York'] }[state as string];
    try {
      home.import(path, { ...this.#options, ...(zone !== undefined && { timeZone: zone }) });
      if (home.rows('SELECT 1 FROM imports').length === 0) return false;
      if (state !== 'zone changed' && state !== 'account changed') return true;
      if (home.rows('SELECT 1 FROM imports').length !== 1) return false;
      const given = state === 'zone changed' ? { timezone: ZONES['New York'] } : { account: 'X' };
      const report = changeImport({ ...settings(home), id: 1, given }, 'import change 1');
      return report.import !== null;
    } catch (error) {
      if (error instanceof UserError) return false;
      throw error;
    }
  }

  #second(variant: string, state: State, home: ImportHome): Second | undefined {
    const { path, name, bytes } = this.#file;
    const copied = (as: string) => this.#written(home, as, bytes);
    const numbered = name.replace(/(?=\.\w+$)/, ' (1)');
    if (variant === 'same bytes') return { path, mustBeSame: true };
    if (variant === 'copied') return { path: copied(numbered) };
    if (variant === 'copied under another name') {
      return { path: copied(`other${extname(name)}`) };
    }
    if (variant === 'account renamed') return { path: copied(numbered), isRenamed: true };
    if (variant === 'zone left out') {
      const wasTyped = state === 'utc' || state === 'new york';
      return wasTyped ? { path: copied(numbered), mustBeSame: true } : undefined;
    }
    if (TYPED.includes(variant)) {
      const zone = ZONES[variant.slice('zone '.length) as keyof typeof ZONES];
      return { path: copied(numbered), options: { timeZone: zone } };
    }
    return this.#otherBytes(variant, home);
  }

  #otherBytes(variant: string, home: ImportHome): Second | undefined {
    const { name } = this.#file;
    if (variant in RESAVED) {
      const bytes = RESAVED[variant as keyof typeof RESAVED](this.#file, home.folder);
      if (!bytes) return undefined;
      const isOfIds = variant === 'long ids as powers';
      const remedy = isOfIds ? { remedy: /export (?:it|the file) again|as text/ } : {};
      return { path: this.#written(home, name, bytes), ...remedy };
    }
    const halves = halvesOf(this.#file);
    if (!halves) return undefined;
    const half = variant === HALVES[1] ? halves[0] : halves[1];
    const zone = variant === HALF_IN_ZONE ? { options: { timeZone: ZONES.Tokyo } } : {};
    return { path: this.#written(home, name, half), ...zone };
  }

  #outcome({ home, bytes, truth }: Prepared, second: Second): Cell {
    writeFileSync(home.journal, bytes);
    let before = totalsOf(home);
    let wanted = truth;
    if (second.isRenamed) {
      renameAll(home);
      before = totalsOf(home);
      wanted = before;
    }
    let refusal: Error | undefined;
    try {
      home.import(second.path, { ...this.#options, ...second.options });
    } catch (error) {
      refusal = error as Error;
    }
    const totals = totalsOf(home);
    if (!refusal) {
      const message = differencesOf(wanted, totals);
      return { outcome: message === '' ? 'same' : 'wrong', message, totals };
    }
    const message = withoutFolders(refusal.message, second.path);
    const written = differencesOf(before, totals);
    if (written !== '') return { outcome: 'wrong', message: `${message}; wrote ${written}`, totals };
    const isMistake = !(refusal instanceof UserError) || refusal instanceof UsageError;
    if (isMistake || second.mustBeSame) return { outcome: 'wrong', message, totals };
    const isHelpful = /import \d+/.test(message) || second.remedy?.test(message);
    return { outcome: isHelpful ? 'refused' : 'unhelpful', message, totals };
  }

  #written(home: ImportHome, name: string, bytes: Buffer): string {
    const folder = join(home.folder, `second-${++this.#files}`);
    mkdirSync(folder);
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  }

  get label(): string {
    return this.#fixture.label;
  }
}

const homeOf = () => new ImportHome().withUser('me', { timezone: 'UTC' });
const settings = (home: ImportHome) => ({ journal: home.journal, now: home.now + 60_000 });

function renameAll(home: ImportHome): void {
  const rows = home.rows('SELECT DISTINCT account FROM trades ORDER BY account') as Row[];
  for (const { account } of rows) {
    const name = account as string | null;
    renameAccount(settings(home), name, `${name ?? 'none'} renamed`, 'account rename');
  }
}

function withoutFolders(message: string, path: string): string {
  return message.replaceAll(path, basename(path)).replaceAll(/\/\S*\/(?=[^/\s]+\.)/g, '');
}

/** A journal's own export of closed trades. */
const OWN: Fixture = {
  label: 'made-up own/trades.jsonl',
  path: () => {
    const trades = Array.from({ length: 5 }, (_, index) => ({
      ...TRADE,
      id: `t${index}`,
      account: index % 2 === 0 ? 'main' : 'second',
      quantity: 1 + (index % 3),
    }));
    return new ImportHome().lines('trades.jsonl', ...trades);
  },
};

/** All files, whether they can be imported or not. */
export function allFixtures(): Fixture[] {
  const isFile = ({ name }: { name: string }) => /\.\w+$/.test(name) && !name.startsWith('notes/');
  const reported = reportedFiles().map((label) => ({ label, path: () => pathOf(label) }));
  return [OWN, ...allExports().filter(isFile), ...reported];
}

/** A single cell, as in `cell('made-up das/Trades.csv', 'seconds cut', 'plain')`. */
export function cell(label: string, variant: string, state: State): Cell | undefined {
  const fixture = allFixtures().find((other) => other.label === label);
  return fixture && new FixtureMatrix(fixture).cell(variant, state);
}
