/**
 * Two imports of the same rows: the second file is the first one read in another zone, saved again,
 * copied, or another part of the same history.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { renameAccount } from '../../src/edit/accounts.ts';
import { changeImport } from '../../src/edit/change.ts';
import { UsageError, UserError } from '../../src/errors.ts';
import type { ImportOptions } from '../../src/import/index.ts';
import { loadMapping } from '../../src/import/mapping/load.ts';
import type { Row } from '../../src/sqlite/reader.ts';
import { allExports, pathOf, reportedFiles } from './exports.ts';
import { ImportHome, TRADE } from './home.ts';
import { halvesOf, OriginalFile, RESAVED } from './resaved.ts';

export interface Fixture {
  label: string;
  path: () => string;
  /** Options that each of its imports needs. */
  options?: Options;
}

/** How the journal came to hold the first file, or, in the last state, three fifths of its rows. */
export type State = 'plain' | TypedZone | Changed | 'first half';
type TypedZone = 'utc' | 'new york';
type Changed = 'zone changed' | 'account changed';

const TYPED_ZONES: readonly State[] = ['utc', 'new york'] satisfies TypedZone[];
const CHANGED: readonly State[] = ['zone changed', 'account changed'] satisfies Changed[];

export const STATES: readonly State[] = [
  'plain',
  ...TYPED_ZONES,
  ...CHANGED,
  'first half',
];

const ZONES = { UTC: 'UTC', 'New York': 'America/New_York', Tokyo: 'Asia/Tokyo' };

export type Outcome = 'same' | 'refused' | 'unhelpful' | 'wrong';

/** Counts and sums by table, account, symbol and currency. */
type Totals = Record<string, readonly number[]>;

export interface Cell {
  outcome: Outcome;
  /** The refusal, or the difference. */
  message: string;
  totals: Totals;
}

type Options = Partial<ImportOptions>;

/**
 * Files whose parts are read otherwise than the whole: the two legs of a trade are rows of their own, and the report names
 * those without the other; what a row closes follows from the rows before it.
 */
const CUT_APART = /okx-trading-history|binance-futures-flips/;

/** The second file, with what comes before it. */
interface Second {
  path: string;
  options?: Options;
  /** Whether it is a part of the file. */
  isHalf?: boolean;
  /** Renames all accounts first. */
  isRenamed?: boolean;
  /** Whether a refusal is an error, too. */
  mustBeSame?: boolean;
  /** Words of a refusal that names no import, but another remedy. */
  remedy?: RegExp;
}

/** A journal with the first file, and one as it must be after the second one. */
interface Prepared {
  home: ImportHome;
  bytes: Buffer;
  whole: ImportHome;
  wholeBytes: Buffer;
  truth: Totals;
}

const LAST_AFTER_FIRST = 'last half after first';
const FIRST_AFTER_LAST = 'first half after last';
const LAST_IN_TOKYO = 'last half in zone Tokyo';
const HALVES = [LAST_AFTER_FIRST, FIRST_AFTER_LAST, LAST_IN_TOKYO];

const TYPED = Object.keys(ZONES).map((name) => `zone ${name}`);

export const VARIANTS: readonly string[] = [
  'same bytes',
  'copied',
  'copied under another name',
  'zone left out',
  ...TYPED,
  'account renamed',
  ...Object.keys(RESAVED),
  ...HALVES,
];

/** For exports with times only, and for those that name no symbol. */
const DATE: Options = { date: '2026-01-15' };
const SYMBOL: Options = { symbol: 'MNQ' };
const MORE: readonly Options[] = [{}, DATE, SYMBOL, Object.assign({}, DATE, SYMBOL)];

const QUERIES = {
  trades: `SELECT coalesce(account, '') || ' ' || symbol || ' ' || currency AS key,
      count(*) AS count, total(quantity) AS quantity, total(gross_pnl) AS gross,
      total(net_pnl) AS net, total(fees) AS fees
    FROM trades GROUP BY key ORDER BY key`,
  fills: `SELECT coalesce(account, '') || ' ' || symbol || ' ' || currency AS key,
      count(*) AS count, total(quantity) AS quantity, total(fees) AS fees
    FROM fills GROUP BY key ORDER BY key`,
  cash: `SELECT coalesce(account, '') || ' ' || kind || ' ' || currency AS key, count(*) AS flows,
      round(sum(amount), 8) AS amount FROM cash_flow_records GROUP BY key ORDER BY key`,
  other: `SELECT 'records' AS key, (SELECT count(*) FROM sessions) AS sessions,
      (SELECT count(*) FROM missed_trades) AS missed,
      (SELECT count(*) FROM trade_journals) AS entries`,
};

function totalsOf(home: ImportHome): Totals {
  const totals: Record<string, number[]> = {};
  for (const [table, sql] of Object.entries(QUERIES)) {
    for (const { key, ...sums } of home.rows(sql)) {
      const rounded = Object.values(sums).map((sum) => Number(sum).toPrecision(10));
      totals[`${table} ${key}`] = rounded.map(Number);
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
    return (
      Math.abs(value - other) <= 1e-7 * Math.max(1, Math.abs(value), Math.abs(other))
    );
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
    if (state === 'first half' && HALVES.includes(variant)) return undefined;
    if (
      (state === 'first half' || HALVES.includes(variant)) &&
      CUT_APART.test(this.#fixture.label)
    )
      return undefined;
    const prepared = this.#preparedFor(variant, state);
    const second = prepared && this.#second(variant, state, prepared.home);
    if (
      !second ||
      (state === 'first half' &&
        variant in RESAVED &&
        !this.#isReadAlone(second, prepared))
    ) {
      return undefined;
    }
    return this.#outcome(prepared, second);
  }

  /** Whether a file saved again still gives the same on its own: the order within a minute may be lost with its seconds. */
  #isReadAlone({ path, options }: Second, { truth }: Prepared): boolean {
    const alone = homeOf();
    try {
      alone.import(path, { ...this.#options, ...options });
    } catch {
      return true;
    }
    return differencesOf(truth, totalsOf(alone)) === '';
  }

  #optionsFor(path: string): Options | undefined {
    const map = mapBeside(path);
    for (const more of MORE) {
      const home = homeOf();
      const options = { ...more, ...map, ...this.#fixture.options };
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
    const first = this.#firstOf(variant, state);
    if (!first) return undefined;
    const name = `${first.name} ${state}`;
    if (!this.#prepared.has(name))
      this.#prepared.set(name, this.#prepare(first.bytes, state));
    return this.#prepared.get(name);
  }

  /** @returns no bytes for the whole file, undefined if it can't be halved */
  #firstOf(variant: string, state: State): { name: string; bytes?: Buffer } | undefined {
    if (!HALVES.includes(variant) && state !== 'first half') return { name: 'whole' };
    const halves = halvesOf(this.#file);
    if (!halves) return undefined;
    const [first, last] = halves;
    if (variant === FIRST_AFTER_LAST) return { name: 'last half', bytes: last };
    return { name: 'first half', bytes: first };
  }

  #prepare(first: Buffer | undefined, state: State): Prepared | undefined {
    const home = homeOf();
    const path = first ? this.#written(home, this.#file.name, first) : this.#file.path;
    if (!this.#bring(home, path, state)) return undefined;
    const whole = first ? homeOf() : home;
    if (first && !this.#bring(whole, this.#file.path, state)) return undefined;
    const truth = totalsOf(whole);
    return { home, bytes: home.bytes(), whole, wholeBytes: whole.bytes(), truth };
  }

  /** @returns whether the journal is in this state, with rows of the file */
  #bring(home: ImportHome, path: string, state: State): boolean {
    const zone = { utc: ZONES.UTC, 'new york': ZONES['New York'] }[state as string];
    try {
      home.import(path, {
        ...this.#options,
        ...(zone !== undefined && { timeZone: zone }),
      });
      if (home.rows('SELECT 1 FROM imports').length === 0) return false;
      if (!CHANGED.includes(state)) return true;
      if (home.rows('SELECT 1 FROM imports').length !== 1) return false;
      const given =
        state === 'zone changed' ? { timezone: ZONES['New York'] } : { account: 'X' };
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
      const remedy = /--(?:symbol|format|as)\b/;
      return { path: copied(`other${extname(name)}`), remedy };
    }
    if (variant === 'account renamed') return { path: copied(numbered), isRenamed: true };
    if (variant === 'zone left out') {
      return TYPED_ZONES.includes(state)
        ? { path: copied(numbered), mustBeSame: true }
        : undefined;
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
      const path = this.#written(home, name, bytes);
      if (variant !== 'long ids as powers') return { path };
      return {
        path,
        remedy: /export (?:it|the file) again|as text|import the original file/,
      };
    }
    const halves = halvesOf(this.#file);
    if (!halves) return undefined;
    const half = variant === FIRST_AFTER_LAST ? halves[0] : halves[1];
    const zone = variant === LAST_IN_TOKYO ? { options: { timeZone: ZONES.Tokyo } } : {};
    return { path: this.#written(home, name, half), isHalf: true, ...zone };
  }

  /** @returns undefined for a half of an account that shares no row with the other: nothing shows whose it is */
  #outcome(prepared: Prepared, second: Second): Cell | undefined {
    const { home, whole } = prepared;
    writeFileSync(home.journal, prepared.bytes);
    let wanted = prepared.truth;
    if (second.isRenamed) {
      const accounts = accountsIn(home);
      renameAll(home, accounts);
      if (whole !== home) {
        writeFileSync(whole.journal, prepared.wholeBytes);
        renameAll(whole, accounts);
      }
      wanted = totalsOf(whole);
    }
    const before = second.isRenamed ? home.bytes() : prepared.bytes;
    let refusal: Error | undefined;
    try {
      const [file] = home.import(second.path, {
        ...this.#options,
        ...second.options,
      }).files;
      const { fills = 0, new_fills = 0 } = file?.platform ?? {};
      const isApart = fills === new_fills && file?.unchanged === 0;
      if (isApart && second.isHalf && hasTwoAccounts(home)) return undefined;
    } catch (error) {
      refusal = error as Error;
    }
    const totals = totalsOf(home);
    if (refusal) return refusedCell(refusal, second, totals, home.bytes().equals(before));
    const message = differencesOf(wanted, totals);
    return { outcome: message === '' ? 'same' : 'wrong', message, totals };
  }

  #written(home: ImportHome, name: string, bytes: Buffer): string {
    const folder = join(home.folder, `second-${++this.#files}`);
    mkdirSync(folder);
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  }
}

/** The mapping next to a file, with its open questions answered as assumed. */
function mapBeside(path: string): Options {
  const file = path.replace(/\.\w+$/, '.map.json');
  if (!existsSync(file)) return {};
  const { unsure: _, ...mapping } = JSON.parse(readFileSync(file, 'utf8'));
  return { map: loadMapping(file, Buffer.from(JSON.stringify(mapping))) };
}

const homeOf = () => new ImportHome().withUser('me', { timezone: 'UTC' });
const settings = (home: ImportHome) => ({ ...home.target, now: home.now + 60_000 });

/** As in "import 3", or a command that changes or undoes it. */
const NAMES_IMPORT = /import (?:change |undo )?\d+/;

function refusedCell(
  refusal: Error,
  second: Second,
  totals: Totals,
  isUntouched: boolean,
): Cell {
  const { path, remedy, mustBeSame } = second;
  const message = withoutFolders(refusal.message, path);
  const wrong = (why: string): Cell => ({
    outcome: 'wrong',
    message: why + message,
    totals,
  });
  if (!isUntouched) return wrong('refused, but the journal changed: ');
  if (!(refusal instanceof UserError)) return wrong('failed: ');
  if (refusal instanceof UsageError) return wrong('exit 2: ');
  if (mustBeSame) return wrong('refused: ');
  const isHelpful = NAMES_IMPORT.test(message) || remedy?.test(message);
  return { outcome: isHelpful ? 'refused' : 'unhelpful', message, totals };
}

function accountsIn(home: ImportHome): (string | null)[] {
  const rows = home.rows('SELECT DISTINCT account FROM trades ORDER BY account') as Row[];
  return rows.map(({ account }) => account as string | null);
}

function hasTwoAccounts(home: ImportHome): boolean {
  return (
    home.rows('SELECT account FROM trades UNION SELECT account FROM fills').length > 1
  );
}

function renameAll(home: ImportHome, accounts: readonly (string | null)[]): void {
  for (const name of accounts) {
    renameAccount(settings(home), name, `${name ?? 'none'} renamed`, 'account rename');
  }
}

function withoutFolders(message: string, path: string): string {
  return message.replaceAll(path, basename(path)).replaceAll(/\/\S*\/(?=[^/\s]+\.)/g, '');
}

/** A journal's own export of closed trades. */
const OWN: Fixture = {
  label: 'made-up own/trades.jsonl',
  options: { as: 'trades' },
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

const FILLS = {
  name: 'own-fills',
  target: 'fills',
  fields: {
    executed_at: 'When',
    symbol: 'Symbol',
    side: 'Side',
    quantity: 'Quantity',
    price: 'Price',
    fees: 'Fee',
    market: { value: 'stock' },
    currency: { value: 'USD' },
  },
};

/** Fills without ids, of which two are equal, read with a mapping. */
const MAPPED: Fixture = {
  label: 'made-up own/mapped.csv',
  options: { map: loadMapping('fills.map.json', Buffer.from(JSON.stringify(FILLS))) },
  path: () =>
    new ImportHome().file(
      'mapped.csv',
      `When,Symbol,Side,Quantity,Price,Fee
2026-11-02 09:30:01.250,AAPL,buy,10,"1,234.50",1.00
2026-11-02 09:30:01.250,AAPL,buy,10,"1,234.50",1.00
2026-11-02 09:45:30.000,AAPL,sell,20,"1,240.10",2.00
2026-11-03 10:15:30.500,MSFT,sell,5,99.90,0.50
2026-11-03 10:15:45.000,MSFT,buy,5,99.00,0.50
`,
    ),
};

/** All files, whether they can be imported or not. */
export function allFixtures(): Fixture[] {
  const isFile = ({ name }: { name: string }) =>
    /\.\w+$/.test(name) && !name.startsWith('notes/');
  const reported = reportedFiles().map((label) => ({ label, path: () => pathOf(label) }));
  const exported = allExports()
    .filter(isFile)
    .map(({ label, path, dates }) =>
      dates ? { label, path, options: { dates } } : { label, path },
    );
  return [OWN, MAPPED, ...exported, ...reported];
}
