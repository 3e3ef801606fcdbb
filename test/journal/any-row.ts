/** Random rows, generated from the checks of schema.sql: extreme valid values, and some invalid ones. */
import fc from 'fast-check';
import { SCHEMA_SQL } from '../../src/embedded.ts';
import { tableParts } from '../../src/journal/journal.ts';

/** A bound value; text as bytes, so that it may be invalid UTF-8. */
export type Stored = string | number | bigint | null | { bytes: Buffer };

interface Column {
  name: string;
  /** The column's definition in schema.sql, normalised. */
  sql: string;
}

/** Columns that only the import reads: no response and no check depends on them. */
const IMPORT_ONLY = [
  ...['imports', 'fills', 'import_fills', 'import_records', 'fee_rates', 'found_groups'],
  ...[
    'exchange_rates',
    'rated_trades',
    'account_names',
    'account_limits',
    'former_trades',
  ],
  ...[
    'kept_files',
    'import_files',
    'import_pictures',
    'unmatched_closes',
    'stated_totals',
  ],
];

/** The stored columns of each table, in the order of schema.sql. */
export const TABLES: ReadonlyMap<string, readonly Column[]> = new Map(
  [...SCHEMA_SQL.matchAll(/^CREATE TABLE (\w+) \([\s\S]*?\n\) STRICT.*?;$/gm)]
    .filter(([, name]) => !IMPORT_ONLY.includes(name as string))
    .map(([sql, name]) => [
      name as string,
      tableParts(sql)
        .filter((part) => !/^(PRIMARY|FOREIGN|CHECK)\b/.test(part) && !/ AS\(/.test(part))
        .map((part) => ({ name: part.split(' ')[0] as string, sql: part })),
    ]),
);

/** The tables that a record refers to, by column. */
export const REFERENCES: Record<string, string> = {
  trade_id: 'trades',
  best_trade_id: 'trades',
  worst_trade_id: 'trades',
  group_id: 'trade_groups',
  import_id: 'imports',
};

const IDS = ['a', 'B', '1', '...', '~', '__proto__', 'constructor', 'x'.repeat(128)];

const UGLY_TEXT = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  fc.constantFrom(
    '',
    '\0',
    'a\0b',
    '\u202e',
    '\uffff',
    '🙂'.repeat(30),
    ' ',
    '__proto__',
    '9'.repeat(400),
    '<script>',
    '\u009b',
    'ﷺ',
  ),
  fc.constantFrom('a b '.repeat(1000)),
);

/** Half a character, an invalid first byte, an overlong form: SQLite keeps them. */
const NO_UTF8 = fc
  .constantFrom('eda080', 'ff', 'c0af', '61eda08062', '80', 'f09f9882ed', 'c3808080')
  .map((hex) => ({ bytes: Buffer.from(hex, 'hex') }));

const TIMES = [
  '0000-01-01T00:00:00.000Z',
  '0001-01-01T00:00:00.000Z',
  '1883-11-18T17:00:00.000Z',
  '1969-12-31T23:59:59.999Z',
  '2026-03-29T01:30:00.000Z',
  '2026-11-01T05:30:00.000Z',
  '2026-11-20T14:59:59.999Z',
  '2026-11-20T15:00:00.000Z',
  '2028-02-29T00:00:00.000Z',
  '9998-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59.999Z',
  '-0001-12-31T00:00:00.000Z',
  '2026-02-30T00:00:00.000Z',
];

const time = fc.oneof(fc.constantFrom(...TIMES), {
  weight: 1,
  arbitrary: fc
    .integer({ min: -80, max: 2 })
    .map((days) => new Date(Date.UTC(2026, 10, 20 + days)).toISOString()),
});

const LARGEST = [1e15, 1e18, 1e12, 1e9];

/** Numbers around the bounds of a check, and around those of doubles. */
function numberOf(sql: string): fc.Arbitrary<number> {
  const named = [...sql.matchAll(/\d+(?:\.\d+)?(?:e-?\d+)?/g)].map(([text]) =>
    Number(text),
  );
  const bounds = [
    ...named,
    ...named.map((n) => n * (1 - 2 ** -53)),
    ...named.map((n) => n * (1 + 2 ** -52)),
    ...named.map((n) => -n),
  ];
  return fc.oneof(
    fc.constantFrom(
      ...bounds,
      0,
      -0,
      5e-324,
      2.2e-308,
      1e-300,
      0.1,
      0.30000000000000004,
      1.5e-8,
      Number.MAX_VALUE,
    ),
    fc.double({ noNaN: true }),
    fc.double({ noNaN: true, min: -1e4, max: 1e4 }),
    fc.double({ noNaN: true, min: 1e-12, max: 10 }),
    fc.constantFrom(...LARGEST).map((n) => n * (1 - 2 ** -53)),
  );
}

/** Valid and invalid members of records, in JSON text with some odd layouts. */
const json = (list: boolean): fc.Arbitrary<string> => {
  const leaf = fc.oneof(
    UGLY_TEXT,
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      5,
      -0,
      1e300,
      [],
      {},
      [[]],
      'https://example.com/ä b|c#d#e',
      'http://[::1]:80/',
      'javascript:alert(1)',
      'https://',
      'http://x:99999',
      'https:/\\x',
      '2026-11-20T12:00:00.000Z',
      '0000-01-01T00:00:00.000Z',
    ),
    fc.constantFrom(
      'https://example.com/%zz?q=[1]',
      'HTTPS://EXAMPLE.com',
      'https://u:p@münchen.de/#',
      'http://a b/',
      'https://x/\ud800',
    ),
  );
  const names = [
    'rule',
    'followed',
    'url',
    'caption',
    'text',
    'met',
    'symbol',
    'price',
    'kind',
    'note',
    '__proto__',
    'other',
  ];
  const item = fc.oneof(
    fc.dictionary(fc.constantFrom(...names), leaf),
    fc.record({
      rule: leaf,
      followed: leaf,
      url: leaf,
      caption: leaf,
      text: leaf,
      met: leaf,
      price: leaf,
    }),
    leaf,
  );
  const items = fc.array(item, { maxLength: 4 });
  const words = fc.array(UGLY_TEXT, { maxLength: 4 });
  const whole = fc.record(
    {
      key_levels: fc.oneof(items, leaf),
      news: fc.oneof(words, items, leaf),
      mistakes: fc.oneof(words, items, leaf),
      bias: leaf,
      condition: leaf,
      notes: leaf,
      went_well: leaf,
      followed_plan: leaf,
      rating: leaf,
      reviewed_at: leaf,
    },
    { requiredKeys: [] },
  );
  const odd = list
    ? [
        '[1e999]',
        '[{"url":"https://a/","url":5}]',
        '[{"rule":"a","rule":null,"followed":true}]',
        ' [ ] ',
        '["\\ud800"]',
        '["\\u0000"]',
        '[]\0x',
        '{}',
        '[{"\\u0072ule":"r","followed":true}]',
        `${'['.repeat(900)}${']'.repeat(900)}`,
      ]
    : [
        '{"key_levels":[{"symbol":null,"price":1e999,"kind":null,"note":null}],"news":[]}',
        '{"key_levels":[],"news":[],"key_levels":5}',
        '{"mistakes":[],"mistakes":{}}',
        '[]',
        'null',
      ];
  return fc.oneof(
    {
      weight: 6,
      arbitrary: (list ? fc.oneof(words, items) : whole).map((value) =>
        JSON.stringify(value),
      ),
    },
    fc.constantFrom(...odd),
  );
};

function anyValueOf({ name, sql }: Column, table: string): fc.Arbitrary<Stored> {
  const choices = /(?<!NOT )\bIN\((.*?)\)/.exec(sql)?.[1];
  if (/ REAL\b/.test(sql)) return numberOf(sql);
  if (/ INTEGER\b/.test(sql))
    return fc.oneof(
      fc.integer({ min: -1, max: 6 }),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    );
  if (choices)
    return fc.constantFrom(
      ...[...choices.matchAll(/'(.*?)'/g)].map((match) => match[1] as string),
    );
  if (sql.includes('strftime(')) return time;
  if (/ date\(/.test(sql)) return time.map((text) => text.replace(/T.*/, ''));
  if (sql.includes('json_valid('))
    return json(/'array'/.test(sql) && !sql.includes("'$."));
  if (REFERENCES[name] || (name === 'id' && table !== 'users'))
    return fc.constantFrom(...IDS);
  if (name.endsWith('currency'))
    return fc.constantFrom('USD', 'EUR', 'XX', 'ABCDEFGHIJ', 'US\0d', 'usd', 'U');
  if (name === 'timezone') return fc.constantFrom(...ZONES);
  if (name === 'symbol')
    return fc.oneof(
      fc.constantFrom(
        'A',
        'a',
        '李'.repeat(64),
        '🙂'.repeat(64),
        'A\0'.repeat(99),
        'x'.repeat(65),
      ),
      UGLY_TEXT,
      NO_UTF8,
    );
  return fc.oneof({ weight: 5, arbitrary: UGLY_TEXT }, NO_UTF8);
}

/** The largest offsets, one with seconds, one with skipped days. Invalid zones give a 503, and aren't tested here. */
const ZONES = [
  'UTC',
  'America/New_York',
  'Pacific/Kiritimati',
  'Pacific/Apia',
  'Etc/GMT+12',
  'Africa/Monrovia',
  'Asia/Kathmandu',
  'utc',
  'Europe/Amsterdam',
];

export interface AnyRow {
  table: string;
  row: Record<string, Stored>;
}

/** A row of a table: a column may be missing, null, or have any value. */
export function anyRow(table: string): fc.Arbitrary<AnyRow> {
  const columns = (TABLES.get(table) as readonly Column[]).filter(
    ({ name }) => name !== 'user_id',
  );
  const fields = columns.map((column) => {
    const value = anyValueOf(column, table);
    const isOptional = !/ NOT NULL\b/.test(column.sql) || / DEFAULT\b/.test(column.sql);
    const isNullable = !/ NOT NULL\b/.test(column.sql);
    return [
      column.name,
      fc.oneof(
        { weight: 8, arbitrary: value },
        ...(isNullable ? [fc.constant(null)] : []),
        ...(isOptional ? [fc.constant(undefined)] : []),
      ),
    ] as const;
  });
  return fc.record(Object.fromEntries(fields)).map((row) => {
    const given = Object.entries(row).filter((entry) => entry[1] !== undefined) as [
      string,
      Stored,
    ][];
    return { table, row: agreeing(Object.fromEntries(given)) };
  });
}

/** Adjusts values to the checks over several columns; without it few trades would be accepted. */
function agreeing(row: Record<string, Stored>): Record<string, Stored> {
  const ordered = (first: string, second: string) => {
    const [a, b] = [row[first], row[second]];
    if (typeof a === 'string' && typeof b === 'string' && b < a)
      [row[first], row[second]] = [b, a];
  };
  if (row['status'] === 'open') row['closed_at'] = null;
  if (row['status'] === 'closed') {
    row['closed_at'] ??= row['executed_at'] ?? row['opened_at'] ?? null;
    if ('open_quantity' in row) row['open_quantity'] = 0;
  }
  ordered('executed_at', 'closed_at');
  ordered('opened_at', 'closed_at');
  ordered('started_at', 'ended_at');
  ordered('period_start', 'period_end');
  return row;
}
