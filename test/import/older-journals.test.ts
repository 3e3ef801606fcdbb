/**
 * A journal that the version with schema 8 wrote (test/fixtures/journal-8.sql), upgraded: what files
 * wrote isn't in it, yet its rows are known.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { changeImport } from '../../src/edit/change.ts';
import { undoImport } from '../../src/edit/undo.ts';
import type { ImportOptions } from '../../src/import/index.ts';
import { loadMapping } from '../../src/import/mapping/load.ts';
import { upgradeJournal } from '../../src/journal-write/migrate.ts';
import { MIGRATION_STEPS } from '../../src/statements/migration-steps.ts';
import { ImportHome } from './home.ts';
import { halvesOf, OriginalFile } from './resaved.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url));
const fixture = (name: string) => readFileSync(join(FIXTURES, name), 'utf8');

interface OldFile {
  id: number;
  name: string;
  /** Whether the journal has the first three fifths of its rows. */
  isHalf?: boolean;
  options?: Partial<ImportOptions>;
  /** Number of trades that the other rows add. */
  added?: number;
}

const MAP = 'journal-8/mapped.map.json';
const map = loadMapping(MAP, Buffer.from(fixture(MAP)));

const FILES: readonly OldFile[] = [
  { id: 1, name: 'exports/coinbase/fills.csv', isHalf: true, added: 3 },
  {
    id: 2,
    name: 'exports/webull/Webull_Orders_Records.csv',
    isHalf: true,
    options: { account: 'Webull' },
    added: 2,
  },
  { id: 3, name: 'exports/ctrader-history/ctrader-history.csv' },
  { id: 4, name: 'exports/tradezella/trades_export.csv' },
  { id: 5, name: 'exports/fidelity/Accounts_History.csv' },
  { id: 6, name: 'journal-8/mapped.csv', isHalf: true, options: { map }, added: 1 },
  { id: 7, name: 'exports/tradovate/Performance.csv' },
  { id: 8, name: 'exports/kraken/trades.csv' },
  { id: 9, name: 'exports/ninjatrader/Trade Performance.csv' },
  { id: 10, name: 'exports/sierra-trades-list/TradesList.txt' },
];

/** The lines after them: an account renamed, an import changed, labels, entries. */
const LABELS = 13;
const ENTRIES = 14;

/** The journal before its upgrade. */
class OldHome extends ImportHome {
  constructor() {
    super();
    const rows = fixture('journal-8.sql').replaceAll('/exports/', `${this.folder}/`);
    new Database(this.journal).exec(fixture('schema-8.sql')).exec(rows).close();
  }

  async upgraded(): Promise<this> {
    await upgradeJournal(this.journal, { steps: MIGRATION_STEPS });
    return this;
  }

  /** The file as it was imported, or all of it, under another name unless it is where it was. */
  written({ name, isHalf }: OldFile, { isWhole = false, isThere = false } = {}): string {
    const original = new OriginalFile(join(FIXTURES, name), name);
    const [half] = halvesOf(original) ?? [];
    const bytes = isHalf && !isWhole && half ? half : original.bytes;
    const folder = join(this.folder, isThere ? '.' : 'again');
    if (!existsSync(folder)) mkdirSync(folder);
    const file = isThere ? basename(name) : basename(name).replace(/(?=\.\w+$)/, ' (1)');
    writeFileSync(join(folder, file), bytes);
    return join(folder, file);
  }

  /** Trades with labels and entries, without the time of their last change. */
  trades(): unknown[] {
    const entries = this.rows(
      'SELECT trade_id, phase, body FROM trade_journals ORDER BY id',
    );
    const trades = this.rows(
      `SELECT id, account, symbol, side, status, executed_at, closed_at, quantity, entry_price, exit_price,
         gross_pnl, fees, setup, tags, rating FROM trades ORDER BY id`,
    );
    return [...trades, ...entries];
  }

  ids(): string[] {
    return this.rows('SELECT id FROM trades ORDER BY id').map(({ id }) => String(id));
  }

  /** Ids of trades that an import states by their fills or as records. */
  idsOf(importId: number): string[] {
    const rows = this.rows(
      `SELECT record_id AS id FROM import_records WHERE import_id = @id AND resource = 'trades'
       UNION SELECT e.trade_id FROM import_fills AS p JOIN fills AS f ON f.id = p.fill_id
         JOIN executions AS e ON e.fill_id = f.execution_id WHERE p.import_id = @id ORDER BY 1`,
      { id: importId },
    );
    return rows.map(({ id }) => String(id));
  }

  settings() {
    return { ...this.target, now: this.now + 3_600_000 };
  }
}

const PRESENT_NAMES: Readonly<Record<string, string>> = {
  XETHZEUR: 'ETH/EUR',
  XLTCZEUR: 'LTC/EUR',
  XXMRZEUR: 'XMR/EUR',
};

function withPresentNames(rows: readonly unknown[]): unknown[] {
  return (rows as { symbol?: string }[]).map((row) =>
    row.symbol === undefined
      ? row
      : { ...row, symbol: PRESENT_NAMES[row.symbol] ?? row.symbol },
  );
}

const ofFile = test.each(FILES.map((file) => ({ ...file, label: basename(file.name) })));

test('an upgraded journal has the same trades, labels and entries', async () => {
  const home = new OldHome();
  const before = home.trades();
  await home.upgraded();
  expect(home.trades()).toEqual(before);
  expect(home.findings()).toEqual([]);
});

ofFile('$label, imported again under another name, changes no trade', async (file) => {
  const home = await new OldHome().upgraded();
  const before = home.trades();
  home.import(home.written(file), { ...file.options });
  expect(home.trades()).toEqual(before);

  // Now the journal has what the file wrote, and knows it in another zone, too.
  home.import(home.written(file), { ...file.options });
  expect(home.trades()).toEqual(before);
});

ofFile('$label, imported again without its options, changes no trade', async (file) => {
  const home = await new OldHome().upgraded();
  const before = home.trades();
  home.import(home.written(file), { map: file.options?.map });
  expect(home.trades()).toEqual(before);
});

test.each(FILES.filter(({ isHalf }) => isHalf))(
  'the next $name adds only its new rows',
  async (file) => {
    const home = await new OldHome().upgraded();
    const before = home.ids();
    home.import(home.written(file, { isWhole: true }), { ...file.options });
    const after = home.ids();
    expect(after).toEqual(expect.arrayContaining(before));
    expect(after.length - before.length).toBe(file.added);
  },
);

ofFile('the time zone of $label can be changed and changed back', async (file) => {
  const home = await new OldHome().upgraded();
  const before = home.trades();
  home.written(file, { isThere: true });
  const ids = home.ids();
  // The order of its dates wasn't kept, and fits both.
  const dates = file.id === 9 ? { dates: 'mdy' as const } : {};
  const change = (timezone: string) =>
    changeImport(
      { ...home.settings(), id: file.id, given: { timezone, ...dates } },
      'import change',
    );

  change('Asia/Tokyo');
  expect(home.ids()).toEqual(ids);
  const zones: Readonly<Record<number, string>> = {
    7: 'America/Chicago',
    8: 'UTC',
    10: 'Europe/London',
  };
  change(zones[file.id] ?? 'America/New_York');
  // Read again, Kraken's pairs have their present names.
  expect(home.trades()).toEqual(file.id === 8 ? withPresentNames(before) : before);
});

test('days that the journal has as the times at which they start are known', async () => {
  const home = new OldHome();
  home.write("UPDATE fills SET has_time = 1 WHERE platform = 'fidelity'");
  await home.upgraded();
  const before = home.ids();
  home.import(home.written(FILES[4] as OldFile));
  expect(home.ids()).toEqual(before);
});

test('closed trades without seconds are known in the order of their dates', async () => {
  const home = await new OldHome().upgraded();
  const before = home.ids();
  const path = home.written(FILES[8] as OldFile);
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(/(\d:\d\d):\d\d (?=[AP]M)/g, '$1 '),
  );
  home.import(path);
  expect(home.ids()).toEqual(before);
});

test('fills of a file in another zone are refused with the zone in which they were read', async () => {
  const home = await new OldHome().upgraded();
  const [tradovate, kraken] = [FILES[6], FILES[7]] as [OldFile, OldFile];
  const asked = { timeZone: 'America/New_York' };
  expect(home.refusalOf(home.written(tradovate), asked)).toMatch(
    /rows are in import 7, read in America\/Chicago; these are read in America\/New_York\. .* import change 7 --timezone America\/New_York/,
  );
  // Kraken's own, though the user's is New York.
  expect(home.refusalOf(home.written(kraken), asked)).toMatch(
    /rows are in import 8, read in UTC;/,
  );
});

test.each(Array.from({ length: LABELS - 1 }, (_, index) => index + 1))(
  'import %i can be undone',
  async (id) => {
    const home = await new OldHome().upgraded();
    for (const line of [ENTRIES, LABELS]) undoImport(home.settings(), line);
    const before = home.ids();
    const gone = FILES.some((file) => file.id === id) ? home.idsOf(id) : [];
    undoImport(home.settings(), id);
    expect(home.ids()).toEqual(before.filter((trade) => !gone.includes(trade)));
    expect(home.rows('SELECT 1 FROM imports WHERE id = ?', id)).toEqual([]);
  },
);
