/** Columns of costs that a reader doesn't know, or that a file lacks, are named. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { namesCosts } from '../../../src/import/tables/costs.ts';
import { pathOf } from '../exports.ts';
import { ImportHome } from '../home.ts';

test.each<[string, boolean]>([
  ['Fee', true],
  ['exchange_fees', true],
  ['Gebühren', true],
  ['Courtage', true],
  ['Comisión', true],
  ['Prowizja', true],
  ['Fee Coin', false],
  ['Tax rate', false],
  ['Coffee', false],
  ['Quantity', false],
])('%s', (name, expected) => {
  expect(namesCosts(name)).toBe(expected);
});

const HEADER =
  'Run Date,Account,Action,Symbol,Description,Type,Quantity,Price ($),Commission ($),Fees ($),Amount ($)';
const BOUGHT =
  '11/02/2026,A1,YOU BOUGHT ACME (ACME) (Cash),ACME,ACME,Cash,10,100,,1.25,-1001.25';

test('a column that is not read', () => {
  const home = new ImportHome().withUser();
  const lines = [`${HEADER},Gebühr`, `${BOUGHT},2.50`];
  const [file] = home.import(
    home.file('History_for_Account_A1.csv', lines.join('\n')),
  ).files;
  expect(file?.notes.join()).toContain(
    "the column Gebühr isn't read; if it has costs of these trades, they are missing",
  );
});

test.each([
  ['exness-personal-area/exness.csv', 'swap'],
  // Its name doesn't say that it has costs, but its amounts are added to those of another one.
  ['tradervue-trades/tradervue-generic-executions.csv', 'ECNFee'],
])(
  'a column that the file lacks, if another one may have its costs: %s without %s',
  (name, column) => {
    const home = new ImportHome().withUser();
    const text = readFileSync(pathOf(`made-up ${name}`), 'utf8').replace(
      column,
      'spalte',
    );
    const [file] = home.import(home.file('export.csv', text)).files;
    expect(file?.notes.join()).toContain(
      `the file has no column ${column}; if another one has these costs, they are missing`,
    );
  },
);

test.each([[[HEADER, BOUGHT]], [[`${HEADER},Gebühr`, `${BOUGHT},0.00`]]])(
  '%#: a column of zeros, or none, is not named',
  (lines) => {
    const home = new ImportHome().withUser();
    const [file] = home.import(
      home.file('History_for_Account_A1.csv', lines.join('\n')),
    ).files;
    expect(file?.notes.filter((note) => /isn't read|has no column/.test(note))).toEqual(
      [],
    );
  },
);
