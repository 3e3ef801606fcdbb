/** Mapping files: valid contents, errors, and their JSON Schema in docs/. */
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { draftIn, mappingJsonSchema } from '../../../src/import/mapping/schema.ts';

const FILLS = {
  name: 'broker',
  target: 'fills',
  fields: {
    symbol: 'Ticker',
    market: { value: 'stock' },
    executed_at: 'Time',
    quantity: 'Qty',
    price: 'Price',
  },
};

const everything = {
  ...FILLS,
  $schema: 'mapping.schema.json',
  prefix_ids: false,
  delimiter: ';',
  header: true,
  decimal: ',',
  thousands: ' ',
  dates: ['dmy', 'excel'],
  zone: 'Europe/Berlin',
  lookups: { symbols: { file: 'symbols.csv', key: 'id', value: 'symbol' } },
  multipliers: { ES: 50 },
  skip: [{ column: 'State', is: ['cancelled', ''], reason: 'cancelled order' }],
  unsure: { fees: 'costs or rebates?' },
  fields: {
    ...FILLS.fields,
    symbol: { column: 'Ticker', lookup: 'symbols', empty: ['?'], default: 'NONE' },
    executed_at: { column: ['Date', 'Time'], dates: 'mdy' },
    side: { column: 'Side', words: { K: 'buy', V: 'sell' } },
    fees: { column: ['Commission', 'Tax'], sign: 'negate', decimal: '.' },
  },
};

test('the JSON Schema in docs/ is the one that checks mappings; vitest -u updates it', async () => {
  const file = fileURLToPath(
    new URL('../../../docs/mapping.schema.json', import.meta.url),
  );
  await expect(`${JSON.stringify(mappingJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
    file,
  );
});

describe('the JSON Schema and the program', () => {
  const check = new Ajv2020({ strict: false }).compile(mappingJsonSchema() as object);

  const draft = {
    ...FILLS,
    columns: { Ticker: ['ABC'], Status: { Filled: 2, Cancelled: 1 } },
    dates: '?',
    decimal: '?',
    zone: '?',
    skip: '?',
    fields: { ...FILLS.fields, quantity: { bought: 'In', sold: 'Out' }, price: '?' },
  };

  test.each([FILLS, everything, draft, { name: 'own', target: '?', fields: {} }])(
    'accept the same',
    (mapping) => {
      expect(check(mapping), JSON.stringify(check.errors)).toBe(true);
      expect(draftIn(mapping)).toEqual(mapping);
    },
  );

  const { symbol: _, ...withoutSymbol } = FILLS.fields;
  const of = (changes: object) => ({ ...FILLS, ...changes });
  const field = (source: unknown) => of({ fields: { ...withoutSymbol, symbol: source } });

  test.each([
    [null, 'must be an object; got null'],
    [[], 'must be an object; got []'],
    [
      of({ target: 'fill' }),
      'target: must be one of fills, trades, trade-groups, trade-journals',
    ],
    [of({ target: undefined }), 'target: must be one of'],
    [of({ name: undefined }), 'name: is missing'],
    [
      of({ name: 'My Broker' }),
      'name: must be 1 to 20 lower-case letters, digits and -; got "My Broker"',
    ],
    [of({ fields: undefined }), 'fields: is missing'],
    [of({ filds: {} }), 'unknown member "filds"; did you mean fields?'],
    [of({ delimiter: 'x' }), 'delimiter: must be one of ",", ";", "\\t", "|"; got "x"'],
    [of({ dates: 'ddmm' }), 'dates: must be one of "ymd", "mdy", "dmy"'],
    [of({ multipliers: { ES: 0 } }), 'multipliers.ES: '],
    [
      of({ skip: [{ column: 'A', reasn: '' }] }),
      'skip.0: unknown member "reasn"; did you mean reason?',
    ],
    [of({ lookups: { a: { file: 'x', key: 'y' } } }), 'lookups.a.value: is missing'],
    [
      of({ fields: { ticker: 'Symbol' } }),
      'fields: unknown field of fills "ticker"; use one of execution_id, account, symbol',
    ],
    [of({ target: 'sessions' }), 'fields: unknown field of sessions "symbol"'],
    [field({ bought: 'In', sold: 'Out' }), 'fields.symbol'],
    [of({ columns: ['Ticker'] }), 'columns: '],
    [field(7), 'fields.symbol: must be text; got 7'],
    [field(''), 'fields.symbol: '],
    [field({}), 'fields.symbol.column: is missing'],
    [field({ column: [] }), 'fields.symbol.column: '],
    [
      field({ colum: 'A' }),
      'fields.symbol: unknown member "colum"; did you mean column?',
    ],
    [
      field({ column: 'A', sign: 'minus' }),
      'fields.symbol.sign: must be one of "negate", "absolute"; got "minus"',
    ],
    [field({ value: null }), 'fields.symbol.value: '],
    [
      field({ value: 'A', column: 'B' }),
      'fields.symbol: a field is either a constant ("value") or a column; remove one',
    ],
  ])('reject the same: %j', (mapping, words) => {
    expect(check(JSON.parse(JSON.stringify(mapping)))).toBe(false);
    expect(() => draftIn(mapping)).toThrow(words);
  });

  test('only the program checks time zones', () => {
    expect(() => draftIn(of({ zone: 'Mars/Olympus' }))).toThrow(
      'zone: must be an IANA time zone, such as America/New_York; got "Mars/Olympus"',
    );
  });
});
