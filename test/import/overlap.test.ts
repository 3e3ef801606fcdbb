/** Exports as platforms wrote them, in two halves that overlap: the same as in one, whichever half comes first. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { csvRows } from '../../src/import/parse/csv-rows.ts';
import { decodeOlder } from '../../src/import/parse/encoding.ts';
import { ImportHome } from './home.ts';

const FOLDER = new URL('../../../shared/data', import.meta.url).pathname;

/** One table with a line for each trade or fill, in the platform's own format; the others are in sections, HTML or JSON. */
const TABLES =
  'binance bybit coinbase das degiro hyperliquid kraken ninjatrader robinhood schwab tastytrade topstepx tradezero trading212 tradingview tradovate zerodha formats-seen'.split(
    ' ',
  );
const NO_TABLE = /TradeLog|rithmic|zerodha\/(tradebook|Instruments)\.csv/;

const files = existsSync(FOLDER)
  ? TABLES.flatMap((folder) =>
      readdirSync(join(FOLDER, folder))
        .map((name) => `${folder}/${name}`)
        .filter((path) => path.endsWith('.csv') && !NO_TABLE.test(path)),
    )
  : [];

const OPTIONS = { date: '2019-01-15' };
const homeOf = () => new ImportHome().withUser('me', { timezone: 'America/New_York' });

/** The lines of a file up to its header, and those of its rows: a row may have several. */
function cut(text: string): { header: string; rows: string[] } {
  const lines = text.split('\n');
  const starts = csvRows(text).map(({ line }) => line - 1);
  const [first = 0, ...others] = starts;
  const rows = others.map((start, index) => lines.slice(start, others[index + 1] ?? lines.length).join('\n'));
  return { header: lines.slice(0, others[0] ?? first + 1).join('\n'), rows };
}

describe.skipIf(files.length === 0)('halves that overlap', () => {
  test.each(files)('of %s', (path) => {
    const { header, rows } = cut(decodeOlder(readFileSync(join(FOLDER, path))));
    const name = path.slice(path.indexOf('/') + 1);
    const whole = homeOf();
    whole.import(join(FOLDER, path), OPTIONS);
    const halves = [rows.slice(0, Math.ceil(rows.length * 0.6)), rows.slice(Math.floor(rows.length * 0.4))].map((own) =>
      [header, ...own].join('\n'),
    );
    for (const order of [halves, [...halves].reverse()]) {
      const home = homeOf();
      for (const half of order) home.import(home.file(name, half), OPTIONS);
      expect(home.contents()).toEqual(whole.contents());
    }
  });
});
