/**
 * Ending cash that real files state, and what their accounts must have had before: cash, and what
 * the positions held then had cost.
 */
import { expect, test } from 'vitest';
import { AccountCash } from '../../src/journal/analytics/balances.ts';
import { findUser } from '../../src/journal/journal.ts';
import { openForWriting } from '../../src/journal-write/open.ts';
import { Reader } from '../../src/sqlite/reader.ts';
import { allExports } from './exports.ts';
import { ImportHome } from './home.ts';

/** By file: currency, stated cash, what the account began with. */
const STARTS: Readonly<Record<string, readonly (readonly [string, number, number])[]>> = {
  // The file states starts of 0, 2,531.24 and 3,618.50; positions opened before make the rest.
  'ibkr-activity/german-U00000000_20260101_20260417.csv': [
    ['CAD', -415, 0],
    ['EUR', 1076.9468625, 3378.52],
    ['USD', 8777.930956, 8352.04],
  ],
  // P&L is in the platform's other exports.
  'tradovate/Cash History.csv': [['USD', 23_882.5, -1117.5]],
  'metatrader/mt5-ReportHistory.xlsx': [['USD', 3030.85, 0]],
};

const files = allExports(['ibkr-activity', 'tradovate', 'metatrader']).filter(
  ({ label, name }) => label.startsWith('real') && Object.hasOwn(STARTS, name),
);

test.each(files)('$label', (file) => {
  const home = new ImportHome().withUser();
  home.import(file.path());
  const db = openForWriting(home.journal);
  const reader = new Reader(db);
  const user = findUser(reader, 'me')!;
  const { starts } = new AccountCash(reader, user, {});
  const found = [...starts].flatMap(([{ currency, statements }, start]) => {
    const [first] = statements;
    return first && start
      ? [[currency, first.amount, Math.round(start.amount * 100) / 100]]
      : [];
  });
  db.close();
  expect(found).toEqual(STARTS[file.name]);
});
