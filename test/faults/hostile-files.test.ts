/** Malicious files: the real program rejects them with a clear error, in bounded memory and time, and the journal stays unchanged. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { generateKey } from '../../src/keys/format.ts';
import { temporaryFolder } from '../helpers.ts';
import { run, runHere } from '../program.ts';
import { printFigures } from './figures.ts';

/** Processor time: the slowest takes 5 s, and a machine may be ten times slower. */
const MAX_SECONDS = 100;
/** Node itself takes 60. A file read whole may have 128 MB, and is held as bytes and as text. */
const MAX_RSS_MB = 700;

interface Hostile {
  /** The file name decides how it is read. */
  file: string;
  content: () => string | Buffer;
  words: RegExp;
  args?: string[];
  /** Length in bytes, as a sparse file. */
  length?: number;
}

const MB = 1_000_000;
const TRADES =
  'id,symbol,market,side,status,executed_at,closed_at,quantity,entry_price,exit_price\n';
const FILLS =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp\n';
const HOOD =
  '"Activity Date","Process Date","Settle Date","Instrument","Description","Trans Code","Quantity","Price","Amount"\n';
const MAP = JSON.stringify({
  name: 'x',
  target: 'fills',
  fields: {
    symbol: 'S',
    market: { value: 'stock' },
    executed_at: 'T',
    quantity: 'Q',
    price: 'P',
  },
});
const MAPPED = ['--map', 'map.json'];
const ROW = 'S,T,Q,P\n';

const sheet = (rows: string, prolog = '') =>
  `<?xml version="1.0"?>${prolog}<worksheet><sheetData>${rows}</sheetData></worksheet>`;

function workbook(
  rows: string,
  strings?: string,
  prolog?: string,
  styles?: string,
): Buffer {
  return Buffer.from(
    zipSync({
      ...(styles === undefined
        ? {}
        : { 'xl/styles.xml': strToU8(`<styleSheet>${styles}</styleSheet>`) }),
      'xl/worksheets/sheet1.xml': strToU8(sheet(rows, prolog)),
      ...(strings === undefined
        ? {}
        : { 'xl/sharedStrings.xml': strToU8(`<sst>${strings}</sst>`) }),
    }),
  );
}

/** An archive of one file whose header states a wrong unpacked size. */
function zipOf(name: string, packed: Buffer, stated: number): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(packed.length, 18);
  header.writeUInt32LE(stated, 22);
  header.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(8, 10);
  entry.writeUInt32LE(packed.length, 20);
  entry.writeUInt32LE(stated, 24);
  entry.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length + name.length, 12);
  end.writeUInt32LE(header.length + name.length + packed.length, 16);
  return Buffer.concat([
    header,
    Buffer.from(name),
    packed,
    entry,
    Buffer.from(name),
    end,
  ]);
}

/** A database of SQL, as its file. */
function database(sql: string): Buffer {
  const db = new Database(':memory:');
  db.exec(sql);
  const bytes = db.serialize();
  db.close();
  return bytes;
}

/** Freqtrade's database with one more column. */
const TRADES_SQL = (column: string, count: number) =>
  `CREATE TABLE pairlocks (id);
   CREATE TABLE trades (id INTEGER PRIMARY KEY, pair TEXT, is_open, amount, open_rate, open_date, ${column});
   WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
   INSERT INTO trades (id, pair, is_open, amount, open_rate, open_date) SELECT i, 'A/B', 1, 1, 1, '2026-11-20 10:00:00' FROM n;`;

const ENTITIES = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, i) => `<!ENTITY ${'bcdefghij'[i]} "${`&${'abcdefghi'[i]};`.repeat(10)}">`).join('')}<!ENTITY file SYSTEM "file:///etc/passwd">]>`;
const SHEET = 'xl/worksheets/sheet1.xml';
const STOPS = /is neither a file nor a pipe|is a pipe without a writer/;

const CASES: Record<string, Hostile> = {
  'entities that name each other, and a file': {
    file: 'entities.xlsx',
    content: () =>
      workbook(
        '<row r="1"><c t="inlineStr"><is><t>&j;&file;</t></is></c></row>',
        undefined,
        ENTITIES,
      ),
    args: MAPPED,
    words: /S, T, Q, P: are missing from the header: &j;&file;/,
  },
  'entities in a statement': {
    file: 'flex.xml',
    content: () =>
      `<?xml version="1.0"?>${ENTITIES}<FlexQueryResponse><FlexStatements>&j;<FlexStatement>`,
    args: ['--format', 'ibkr-flex'],
    words: /is never closed/,
  },
  'a workbook that says it unpacks to a gigabyte': {
    file: 'large.xlsx',
    content: () => zipOf(SHEET, deflateRawSync(Buffer.alloc(1000)), 1_000_000_000),
    args: MAPPED,
    words: /unpacks to more than 100 MB/,
  },
  'a workbook that unpacks to more than it says': {
    file: 'lies.xlsx',
    content: () =>
      zipOf(SHEET, deflateRawSync(Buffer.from(sheet('<row/>'.repeat(2 * MB)))), 1000),
    args: MAPPED,
    words: /its XML is truncated|the archive is damaged/,
  },
  'a workbook of many rows': {
    file: 'rows.xlsx',
    content: () => workbook('<row><c><v>1</v></c></row>'.repeat(1_100_000)),
    args: MAPPED,
    words: /has more than 1000000 rows/,
  },
  'a workbook of a million columns': {
    file: 'columns.xlsx',
    content: () => workbook(`<row>${'<c><v>1</v></c>'.repeat(MB)}</row>`),
    args: MAPPED,
    words: /has more than 1000 cells/,
  },
  'a workbook of one column far out': {
    file: 'far.xlsx',
    content: () => workbook('<row r="1"><c r="ZZZ1"><v>1</v></c></row>'),
    args: MAPPED,
    words: /has more than 1000 cells/,
  },
  'a workbook of one long text': {
    file: 'text.xlsx',
    content: () =>
      workbook(
        '<row r="1"><c t="s"><v>0</v></c></row>',
        `<si><t>${'a'.repeat(MB)}</t></si>`,
      ),
    args: MAPPED,
    words: /a text longer than 32767 characters/,
  },
  'a workbook of nested elements': {
    file: 'nested.xlsx',
    content: () => workbook('<row>'.repeat(MB)),
    args: MAPPED,
    words: /nested deeper than 200/,
  },
  'a workbook of formulas without results': {
    file: 'formulas.xlsx',
    content: () =>
      workbook('<row r="1"><c r="A1"><f>HYPERLINK("http://x")</f></c></row>'),
    args: MAPPED,
    words: /formulas\.xlsx:1: has a formula without its result/,
  },
  'a workbook of few bytes and 100 million cells, empty ones before each other': {
    file: 'padded.xlsx',
    content: () => workbook('<row><c r="ALK1"/></row>'.repeat(100_000)),
    args: MAPPED,
    words: /padded\.xlsx:20021: more than 20 million cells; split the workbook/,
  },
  'the same, to be recognised': {
    file: 'padded.xlsx',
    content: () => workbook('<row><c r="ALK1"/></row>'.repeat(100_000)),
    words: /more than 20 million cells; split the workbook/,
  },
  'a workbook of few cells in rows as wide as one': {
    file: 'wide.xlsx',
    content: () =>
      workbook(`<row><c r="ALK1"/></row>${'<row><c r="A1"/></row>'.repeat(900_000)}`),
    args: ['--format', 'schwab'],
    words: /a sheet may have 20 million cells, empty ones counted/,
  },
  'a workbook of cells that share a long text': {
    file: 'shared.xlsx',
    content: () =>
      workbook(
        `<row>${'<c t="s"><v>0</v></c>'.repeat(900)}</row>`.repeat(400),
        `<si><t>${'a'.repeat(32_000)}</t></si>`,
      ),
    words: /more than 100 million characters; split the workbook/,
  },
  'a workbook of a text in its cell that is too long': {
    file: 'inline.xlsx',
    content: () =>
      workbook(`<row><c t="inlineStr"><is><t>${'a'.repeat(MB)}</t></is></c></row>`),
    args: MAPPED,
    words: /a text longer than 32767 characters/,
  },
  'a workbook of a first and a last row': {
    file: 'apart.xlsx',
    content: () =>
      workbook(
        '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c><v>1</v></c></row>',
      ),
    words: /no sheet of this workbook is a known export/,
  },
  'a workbook of a format without end': {
    file: 'brackets.xlsx',
    content: () =>
      workbook(
        '<row><c s="0"><v>1</v></c></row>',
        undefined,
        undefined,
        `<numFmts><numFmt numFmtId="164" formatCode="${'['.repeat(300_000)}"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs>`,
      ),
    args: ['--format', 'schwab'],
    words: /a format longer than 4096 characters/,
  },
  'a workbook of an element of a million attributes': {
    file: 'attributes.xlsx',
    content: () =>
      workbook(
        `<row ${Array.from({ length: MB }, (_, i) => `a${i}=""`).join(' ')}></row>`,
      ),
    args: MAPPED,
    words: /an element with more than 1000 attributes/,
  },
  'a statement of a million attributes': {
    file: 'flex.xml',
    content: () =>
      `<FlexQueryResponse ${Array.from({ length: MB }, (_, i) => `a${i}=""`).join(' ')}/>`,
    words: /an element with more than 1000 attributes/,
  },
  'a statement of an attribute without end': {
    file: 'flex.xml',
    content: () =>
      `<FlexQueryResponse><FlexStatement accountId="${'a'.repeat(MB)}"/></FlexQueryResponse>`,
    words: /accountId: is longer than 4096 characters/,
  },
  'a database with a column that makes 5 GB': {
    file: 'tradesv3.sqlite',
    content: () =>
      database(
        TRADES_SQL('x TEXT GENERATED ALWAYS AS (hex(zeroblob(500000))) VIRTUAL', 5000),
      ),
    words: /trades\.x: is computed/,
  },
  'a database that computes a column that is read': {
    file: 'tradesv3.sqlite',
    content: () =>
      database(TRADES_SQL('close_date TEXT AS (hex(zeroblob(500000))) STORED', 20)),
    words: /trades\.close_date: is computed/,
  },
  'a database whose trades are a virtual table': {
    file: 'tradesv3.sqlite',
    content: () =>
      database(
        'CREATE TABLE pairlocks (id); CREATE VIRTUAL TABLE trades USING fts5(id, pair)',
      ),
    words: /trades: is computed/,
  },
  'a database of a long text': {
    file: 'tradesv3.sqlite',
    content: () =>
      database(
        `${TRADES_SQL('x', 1)} UPDATE trades SET pair = CAST(zeroblob(50000000) AS TEXT)`,
      ),
    words: /trades\.pair: must be a number, or text with a maximum of 4096 characters/,
  },
  '120 MB of numbers': {
    file: 'trades.json',
    content: () => `[${'1,'.repeat(60 * MB - 1)}1]`,
    words: /it has more than 10000000 values/,
  },
  'a number of 320 digits': {
    file: 'fills.csv',
    content: () =>
      `${FILLS}MESZ6,1,2,1,${'9'.repeat(320)},6800,1,11/20/2026 10:00:00,11/20/2026 10:01:00\n`,
    words: /fills\.csv:2: buyPrice: must be a number/,
  },
  'a note of a member that objects have': {
    file: '2026-11-20.md',
    content: () => '---\ntype: session\nreview.__proto__: 3\n---\n',
    words: /review: has no member "__proto__"/,
  },
  'a note of another one': {
    file: '2026-11-20.md',
    content: () => '---\ntype: session\nmarket_context.constructor: 3\n---\n',
    words: /market_context: has no member "constructor"/,
  },
  'a note of many properties': {
    file: '2026-11-20.md',
    content: () =>
      `---\ntype: session\n${Array.from({ length: 80_000 }, (_, i) => `k${i}: 1\n`).join('')}---\n`,
    words: /the properties hold more than 10000 values/,
  },
  'a note of properties without end': {
    file: '2026-11-20.md',
    content: () => `---\ntype: session\n${'k: 1\n'.repeat(400_000)}---\n`,
    words: /the properties have more than 1000000 characters/,
  },
  'a note of nested lists': {
    file: '2026-11-20.md',
    content: () =>
      `---\ntype: session\ngoals: ${'['.repeat(50_000)}${']'.repeat(50_000)}\n---\n`,
    words: /the properties are more than 20 deep/,
  },
  'a mapping that names a file of another folder': {
    file: 'map.json',
    content: () =>
      JSON.stringify({
        ...JSON.parse(MAP),
        fields: { ...JSON.parse(MAP).fields, symbol: { column: 'S', lookup: 'x' } },
        lookups: { x: { file: '/etc/passwd', key: 'root', value: 'x' } },
      }),
    args: MAPPED,
    words: /map\.json: lookups\.x\.file: must be in the mapping's folder/,
  },
  'a file that holds a key': {
    file: 'notes.txt',
    content: () => `key,is,${generateKey()}\n`,
    words: /it begins with: key,is,jak_…/,
  },
  'lines of commas that a spreadsheet wrapped': {
    file: 'Hood.csv',
    content: () =>
      `"${HOOD.replaceAll('"', '').trim()}"\n${`"1${','.repeat(30_000)}x"\n`.repeat(2000)}`,
    args: ['--format', 'robinhood'],
    words: /Hood\.csv:2: has 30001 cells; the maximum is 1000/,
  },
  'a cell without end': {
    file: 'Hood.csv',
    content: () =>
      `${HOOD}"11/20/2026","","","ABC","${'x'.repeat(MB)}","Buy","1","$1","($1)"\n`,
    words: /Hood\.csv:2: has a cell longer than 32767 characters/,
  },
  'descriptions of an option that never comes': {
    file: 'Hood.csv',
    content: () =>
      `${HOOD}${`"11/20/2026","","","ABC","${'x'.repeat(30_000)}","BTO","1","$1","($1)"\n`.repeat(2000)}`,
    words: /Hood\.csv:2: Description: is longer than 4096 characters/,
  },
  'symbols of spaces': {
    file: 'activity.csv',
    content: () =>
      `Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,Proceeds,Comm/Fee,Code\n${`Trades,Data,Order,Equity and Index Options,USD,A${' '.repeat(30_000)}B,"2026-11-20, 10:00:00",1,1,-1,0,O\n`.repeat(2000)}`,
    words: /activity\.csv:2: Symbol: is longer than 4096 characters/,
  },
  'a line of a gigabyte, of records': {
    file: 'trades.jsonl',
    content: () => '{"id":"',
    length: 1000 * MB,
    words: /trades\.jsonl:1: this line is longer than 16 million characters/,
  },
  'a row of a gigabyte, of records': {
    file: 'trades.csv',
    content: () => TRADES,
    length: 1000 * MB,
    words: /trades\.csv:2: this row is longer than 16 million characters/,
  },
  'an export of a gigabyte': {
    file: 'fills.csv',
    content: () => FILLS,
    length: 1000 * MB,
    args: ['--format', 'tradovate'],
    words: /fills\.csv has more than 128 MB/,
  },
  'a table of a gigabyte, by a mapping': {
    file: 'table.csv',
    content: () => ROW,
    length: 1000 * MB,
    args: MAPPED,
    words: /table\.csv has more than 128 MB/,
  },
  'a table of a gigabyte, to draft a mapping for': {
    file: 'table.csv',
    content: () => ROW,
    length: 1000 * MB,
    args: ['--map', 'new'],
    words: /table\.csv has more than 128 MB/,
  },
  'a mapping of a gigabyte': {
    file: 'map.json',
    content: () => '{',
    length: 1000 * MB,
    args: MAPPED,
    words: /map\.json is larger than 1 MB/,
  },
  'JSON of a gigabyte': {
    file: 'trades.json',
    content: () => '[',
    length: 1000 * MB,
    words: /trades\.json has more than 128 MB/,
  },
  'a line of a hundred megabytes': {
    file: 'fills.csv',
    content: () => `${FILLS}${'x'.repeat(100 * MB)}\n`,
    words: /not valid CSV: .*16000000/,
  },
  'a table of a million columns': {
    file: 'table.csv',
    content: () => `${ROW}${'1,'.repeat(MB)}\n`,
    args: MAPPED,
    words: /has 1000001 cells; the maximum is 1000/,
  },
  'records of a million columns': {
    file: 'trades.csv',
    content: () => `${'a,'.repeat(MB)}\n`,
    words: /has 1000001 cells; the maximum is 1000/,
  },
  'a table of many short rows': {
    file: 'table.csv',
    content: () => `${ROW}${'1\n'.repeat(1_100_000)}`,
    args: MAPPED,
    words: /has more than 1000000 lines/,
  },
  'a page of nested tables': {
    file: 'Statement.htm',
    content: () =>
      `<html><title>Statement: 1</title>Closed Transactions:${'<div>'.repeat(2 * MB)}`,
    args: ['--format', 'metatrader'],
    words: /nested deeper than 200/,
  },
  'a page of a row without end': {
    file: 'Statement.htm',
    content: () => `<html>Closed Transactions:<table><tr>${'<td>'.repeat(2 * MB)}`,
    args: ['--format', 'metatrader'],
    words: /has more than 1000 cells|nested deeper than 200/,
  },
  'a statement of many elements': {
    file: 'flex.xml',
    content: () => `<FlexQueryResponse>${'<a/>'.repeat(1_100_000)}</FlexQueryResponse>`,
    words: /has more than 1000000 elements/,
  },
  'JSON that is nested deep': {
    file: 'trades.json',
    content: () => `[{"id":${'['.repeat(5 * MB)}${']'.repeat(5 * MB)}}]`,
    words: /not valid JSON: it is nested deeper than 200/,
  },
  'a line of JSON that is nested deep': {
    file: 'trades.jsonl',
    content: () => `{"id":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    words: /trades\.jsonl:1: not valid JSON: it is nested deeper than 200/,
  },
  'a cell of JSON that is nested deep': {
    file: 'trades.csv',
    content: () => `id,tags\nt1,${'['.repeat(100_000)}\n`,
    words: /tags: must be JSON/,
  },
  'JSON of many objects': {
    file: 'trades.json',
    content: () => `[${'{},'.repeat(6 * MB)}{}]`,
    words: /it has more than 5000000 arrays and objects/,
  },
  'a huge JSON string as an id': {
    file: 'trades.json',
    content: () => `[{"id":"${'a'.repeat(50 * MB)}"}]`,
    words: /id: must be 1 to 128 letters/,
  },
  'NULs, as records': {
    file: 'trades.csv',
    content: () => Buffer.alloc(1000),
    words: /unknown field/,
  },
  'NULs, as a table': {
    file: 'x.csv',
    content: () => Buffer.alloc(1000),
    args: MAPPED,
    words: /are missing from the header/,
  },
  'NULs, as anything': {
    file: 'x.bin',
    content: () => Buffer.alloc(MB),
    words: /x\.bin is/,
  },
  'a database that is none': {
    file: 'tradesv3.sqlite',
    content: () =>
      Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(10_000, 0xff)]),
    words: /can't be read|not a|damaged|no Freqtrade|malformed/i,
  },
  'formula text where a number belongs': {
    file: 'table.csv',
    content: () => `${ROW}AAPL,2026-11-20 09:30,"=cmd|' /C calc'!A0",1\n`,
    args: MAPPED,
    words: /table\.csv:2: Q: must be an amount/,
  },
  'spaces without end in a cell': {
    file: 'table.csv',
    content: () => `${ROW}AAPL,2026-11-20 09:30,1${' '.repeat(MB)}x,1\n`,
    args: ['--map', 'new'],
    words: /table\.csv:2: has a cell longer than 32767 characters/,
  },
  'as many spaces in a cell as it may have': {
    file: 'table.csv',
    content: () => `${ROW}AAPL,2026-11-20 09:30,1${' '.repeat(32_000)}x,1\n`,
    args: MAPPED,
    words: /table\.csv:2: Q: must be an amount|longer than/,
  },
};

test.each(Object.keys(CASES))(
  '%s',
  async (name) => {
    const { file, content, words, args = [], length } = CASES[name] as Hostile;
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'map.json'), MAP);
    writeFileSync(join(folder, file), content());
    if (length !== undefined) truncateSync(join(folder, file), length);
    printFigures(`${name}: ${await refused(folder, ['import', file, ...args], words)}`);
  },
  600_000,
);

/**
 * Runs the program where what it takes of memory and time is known, on a journal that it would have to make.
 * @returns what it took
 */
async function refused(folder: string, args: string[], words: RegExp): Promise<string> {
  writeFileSync(
    join(folder, 'meter.cjs'),
    `process.on('exit', () => {
      const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
      process.stderr.write('PEAK ' + maxRSS + ' CPU ' + (userCPUTime + systemCPUTime));
    });`,
  );
  const { code, stderr, stdout } = await run([...args, '--home', 'home'], {
    cwd: folder,
    env: { NODE_OPTIONS: `--require=${join(folder, 'meter.cjs')}` },
  });
  expect(stderr).toMatch(words);
  expect(stderr).not.toContain('unexpected error');
  expect(stderr.length + stdout.length).toBeLessThan(10_000);
  expect(code).toBe(1);
  expect(existsSync(join(folder, 'home'))).toBe(false);
  const [, peak, processor] = /PEAK (\d+) CPU (\d+)/.exec(stderr) ?? [];
  const [megabytes, seconds] = [Number(peak) / 1000, Number(processor) / 1e6];
  expect(megabytes).toBeLessThan(MAX_RSS_MB);
  expect(seconds).toBeLessThan(MAX_SECONDS);
  return `${seconds.toFixed(1)} s of processor, ${megabytes.toFixed(0)} MB at most`;
}

test.each([
  ['a folder in place of a file', 'trades.csv', [], /nothing to import in trades\.csv/],
  [
    'a folder in place of an export',
    'trades.csv',
    ['--format', 'kraken'],
    /nothing to import in trades\.csv/,
  ],
  [
    'a folder in place of a mapping',
    'trades.csv',
    ['--map', 'trades.csv'],
    /trades\.csv is not a file/,
  ],
  [
    'a folder to draft a mapping for',
    'trades.csv',
    ['--map', 'new'],
    /trades\.csv is a folder/,
  ],
])('%s', async (_, name, args, words) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, name));
  const { code, stderr } = await runHere(['import', name, ...args, '--home', 'home'], {
    cwd: folder,
  });
  expect(code).toBeGreaterThan(0);
  expect(stderr).toMatch(words);
});

/** Records are streamed, an export is read whole, and a file without --as or --format is examined first. */
const WAYS = [[['--format', 'csv', '--as', 'trades']], [[]], [['--format', 'kraken']]];

/** The wait is by the clock. */
test.each(WAYS)('a pipe without a writer, %j', async (args) => {
  const folder = temporaryFolder();
  execFileSync('mkfifo', [join(folder, 'trades.csv')]);
  await refused(folder, ['import', 'trades.csv', ...args], STOPS);
});

test.each(WAYS)('a device without end, %j', async (args) => {
  await refused(temporaryFolder(), ['import', '/dev/zero', ...args], STOPS);
});
