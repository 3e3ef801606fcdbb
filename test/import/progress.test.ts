/** What a person sees on a terminal while a long file is imported. */
import { expect, test } from 'vitest';
import { progressBar } from '../../src/commands/shared/command.ts';
import { ImportHome } from './home.ts';

const HEADER =
  '"txid","ordertxid","pair","time","type","ordertype","price","cost","fee","vol","margin","misc","ledgers"\n';

/** Rows of Kraken's trades, a buy and a sell in turn, with so long a note in a column that isn't read. */
function trades(rows: number, note: number): string {
  const misc = 'x'.repeat(note);
  const row = (place: number) => {
    const [side, price] = place % 2 === 0 ? ['buy', 50] : ['sell', 51];
    const time = new Date(Date.UTC(2026, 0, 1, 0, place))
      .toISOString()
      .slice(0, 19)
      .replace('T', ' ');
    return `"T${place}","O${place}","XLTCZEUR","${time}","${side}","limit",${price},${price},0.1,1,0,"${misc}","L"\n`;
  };
  return HEADER + Array.from({ length: rows }, (_, place) => row(place)).join('');
}

test("a long file is announced before it is read, a short one isn't", () => {
  const home = new ImportHome().withUser();
  const announced: string[] = [];
  const readingLong = (file: string) => announced.push(file);
  home.import(home.file('short.csv', trades(2, 0)), { readingLong });
  const long = home.file('long.csv', trades(200, 30_000));
  home.import(long, { readingLong, dryRun: true });
  expect(announced).toEqual([long]);
});

test('fills are counted while they are written, then trades', () => {
  const home = new ImportHome().withUser();
  const path = home.file('trades.csv', trades(1200, 0));
  const seen: [string, number, number][] = [];
  home.import(path, { progress: (...step) => seen.push(step) });
  expect(seen).toEqual([
    [path, 0, 0],
    ...[0, 500, 1000].map((done) => [`${path}: fills`, done, 1200]),
    ...[0, 500].map((done) => [`${path}: trades`, done / 600, 1]),
  ]);
});

function barOn(isTTY: boolean) {
  const written: string[] = [];
  let now = 0;
  const stream = {
    isTTY,
    write: (text: string) => written.push(text),
  } as unknown as typeof process.stderr;
  const bar = progressBar(stream, () => now);
  return { bar, written, wait: (ms: number) => (now += ms) };
}

test('on a terminal, reading is announced at once, writing after a second', () => {
  const { bar, written, wait } = barOn(true);
  bar.announce('reading trades.csv');
  bar.show('trades.csv: fills', 500, 1000);
  wait(1001);
  bar.show('trades.csv: fills', 500, 1000);
  bar.clear();
  expect(written).toEqual([
    '\r\x1b[Kreading trades.csv',
    `\r\x1b[K[${'#'.repeat(15)}${' '.repeat(15)}] 50 % trades.csv: fills`,
    '\r\x1b[K',
  ]);
});

test('a program that reads stderr gets no progress', () => {
  const { bar, written, wait } = barOn(false);
  bar.announce('reading trades.csv');
  wait(1001);
  bar.show('trades.csv: fills', 500, 1000);
  bar.clear();
  expect(written).toEqual([]);
});
