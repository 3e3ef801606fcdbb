/** Exports as platforms wrote them, in two halves that overlap: the same as in one, whichever half comes first. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { csvRows, isEmpty } from '../../src/parse/csv-rows.ts';
import { decodeOlder } from '../../src/parse/open-file.ts';
import { allExports, sampled } from './exports.ts';
import { ImportHome } from './home.ts';

/** One table with a line for each trade or fill, in the platform's own format; the others are in sections, HTML or JSON. */
const TABLES =
  'binance bybit coinbase das degiro fidelity hyperliquid kraken ninjatrader robinhood schwab tastytrade topstepx trade-republic tradezella tradezero trading212 tradingview tradovate webull zerodha quantower formats-seen bitvavo ctrader-history fyers-api-tradebook sierra-trades-list exness-personal-area ftmo-metrix ig-transaction-history kucoin-orders mexc-spot-trades questrade-edge-executions revolut-invest tradervue-trades xtb-cash-csv'.split(
    ' ',
  );
const NO_TABLE =
  /transactions-2018|core-cash|TradeLog|rithmic|zerodha\/(tradebook|Instruments)\.csv/;

const files = sampled(allExports(TABLES)).filter(
  ({ name }) => /\.(csv|txt)$/.test(name) && !NO_TABLE.test(name),
);

const OPTIONS = { date: '2019-01-15' };
const homeOf = () => new ImportHome().withUser('me', { timezone: 'America/New_York' });

/** The lines of a file up to its header, and those of its rows: a row may have several. */
function cut(text: string): { header: string; rows: string[] } {
  const lines = text.split('\n');
  const starts = csvRows(text)
    .filter((row) => !isEmpty(row))
    .map(({ line }) => line - 1);
  const [first = 0, ...others] = starts;
  const rows = others.map((start, index) =>
    lines.slice(start, others[index + 1] ?? lines.length).join('\n'),
  );
  return { header: lines.slice(0, others[0] ?? first + 1).join('\n'), rows };
}

describe('halves that overlap', () => {
  test.each(files)('of $label', ({ name, path, dates }) => {
    const own = path();
    const { header, rows } = cut(decodeOlder(readFileSync(own)));
    const file = name.slice(name.indexOf('/') + 1);
    const whole = homeOf();
    whole.import(own, { ...OPTIONS, dates });
    const halves = [
      rows.slice(0, Math.ceil(rows.length * 0.6)),
      rows.slice(Math.floor(rows.length * 0.4)),
    ].map((half) => [header, ...half].join('\n'));
    for (const order of [halves, [...halves].reverse()]) {
      const home = homeOf();
      for (const half of order) home.import(home.file(file, half), { ...OPTIONS, dates });
      expect(home.contents()).toEqual(whole.contents());
    }
  });
});
