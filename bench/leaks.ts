/**
 * False and true positives of leaks: journals of 1,000 trades of twelve kinds of traders, without an effect and with each of three, and
 * journals of 10,000 trades of which few lose: node bench/leaks.ts [JOURNALS [EFFECTS [LONG [TRADERS]]]] (default: 100 of each kind without
 * an effect, 40 with each effect, and 20 long ones; traders by the start of their name, all by default)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyticsOf, type Question } from '../src/journal/analytics/index.ts';
import { between } from '../src/journal/analytics/period.ts';
import { findUser, type User } from '../src/journal/journal.ts';
import { createJournal } from '../src/journal-write/open.ts';
import { addUser, newUser } from '../src/journal-write/users.ts';
import { addFunctions } from '../src/sqlite/functions.ts';
import { Reader } from '../src/sqlite/reader.ts';
import { ZoneClock } from '../src/time.ts';
import {
  type Draw,
  TRADERS,
  type Trader,
  writeTrader,
} from '../test/journal/analytics/traders.ts';

const [journals = 100, effects = 40, long = 20] = process.argv.slice(2, 5).map(Number);
const names = Object.keys(TRADERS).filter((name) =>
  name.startsWith(process.argv[5] ?? ''),
);
const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
const path = join(home, 'journal.db');
const db = createJournal(path);
addUser(db, newUser('me', { timezone: 'UTC' }), 0);
db.pragma('synchronous = OFF');
// Triggers keep what no figure reads, and take most of the time for writing journals.
for (const name of db
  .prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'")
  .pluck()
  .all())
  db.exec(`DROP TRIGGER ${name}`);
addFunctions(db);
const reader = new Reader(db);
const user = findUser(reader, 'me') as User;

/** The figures of the journal as it is. */
function answerTo(more: Partial<Question>) {
  const asked = between(new ZoneClock('UTC'), { from: null, to: null }, Date.now());
  const question: Question = {
    asked,
    filters: {},
    unit: 'trade',
    sections: ['leaks'],
    groupBy: [],
    top: null,
    now: Date.now(),
    ...more,
  };
  return analyticsOf(reader, user, question).data;
}

const leaksOf = () =>
  answerTo({}).leaks as NonNullable<ReturnType<typeof answerTo>['leaks']>;
type Leaks = ReturnType<typeof leaksOf>;

/** Shares of a trader's journals in which each of the tests finds something. */
function shares(trader: Trader, of: number, tests: readonly (() => boolean)[]): string[] {
  const found = tests.map(() => 0);
  for (let seed = 0; seed < of; seed++) {
    writeTrader(db, trader, seed);
    for (const [i, isFound] of tests.entries()) if (isFound()) (found[i] as number)++;
  }
  return found.map((count) => `${((100 * count) / of).toFixed(of < 500 ? 0 : 1)} %`);
}

const showsAny = () => {
  const { costs, gains } = leaksOf();
  return costs.length + gains.length > 0;
};
const shows = (test: (by: Leaks['costs'][number]['by']) => boolean) => () =>
  leaksOf().costs.some(({ by }) => test(by));
const showsAngry = shows(({ emotion }) => emotion === 'angry');
const showsTired = shows(({ sleep }) => sleep === 'under_6h');
/** Whether a row of losses_today stands out. */
const marksAfterLoss = () =>
  answerTo({ sections: ['groups'], groupBy: ['losses_today'] }).groups?.some(
    ({ stands_out }) => stands_out,
  ) === true;

try {
  console.log(
    `Journals of 1,000 trades: ${journals} of each kind without an effect, ${effects} with each`,
  );
  console.log(
    '| Trader | leaks, none | angry: 0.5 | tired days: 0.5 | losses_today, none | after a loss: 0.3 |',
  );
  console.log('|---|---|---|---|---|---|');
  for (const draw of names) {
    for (const alike of [0, 0.3]) {
      for (const accounts of [1, 3]) {
        const kind = { draw, trades: 1000, alike, accounts };
        const [none, noneAfterLoss] = shares(kind, journals, [showsAny, marksAfterLoss]);
        const cells = [
          none,
          ...shares({ ...kind, angry: 0.5 }, effects, [showsAngry]),
          ...shares({ ...kind, tired: 0.5 }, effects, [showsTired]),
          noneAfterLoss,
          ...shares({ ...kind, afterLoss: 0.3 }, effects, [marksAfterLoss]),
        ];
        const days = alike === 0 ? 'days not alike' : 'days alike';
        console.log(
          `| ${draw}, ${days}, ${accounts === 1 ? 'one account' : 'three accounts'} | ${cells.join(' | ')} |`,
        );
      }
    }
  }
  console.log(`\n${long} journals of 10,000 trades each`);
  console.log('| Losing trades | none |\n|---|---|');
  for (const losing of [0.02, 0.03, 0.05]) {
    const draw = (next: Draw) => (next() < losing ? -Math.exp(2 + next()) : 0.5 + next());
    console.log(
      `| ${100 * losing} % | ${shares({ draw, trades: 10_000 }, long, [showsAny])} |`,
    );
  }
} finally {
  db.close();
  rmSync(home, { recursive: true, force: true });
}
