/**
 * False and true positives of leaks: journals of 1,000 trades of twelve kinds of traders, without an effect and with each of three, and
 * journals of 10,000 trades of which few lose: node bench/leaks.ts [JOURNALS [EFFECTS [LONG]]] (default: 100 of each kind without an effect,
 * 40 with each effect, and 20 long ones)
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
import { toEnd } from '../src/sqlite/read-queue.ts';
import { Reader } from '../src/sqlite/reader.ts';
import { ZoneClock } from '../src/time.ts';
import { type Draw, TRADERS, type Trader, writeTrader } from './traders.ts';

const [journals = 100, effects = 40, long = 20] = process.argv.slice(2).map(Number);
const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
const path = join(home, 'journal.db');
const db = createJournal(path);
addUser(db, newUser('me', { timezone: 'UTC' }), 0);
db.pragma('synchronous = OFF');
addFunctions(db);
const reader = new Reader(db);
const user = findUser(reader, 'me') as User;

type Leaks = NonNullable<ReturnType<typeof leaksOf>>;

function answerTo(trader: Trader, seed: number, more: Partial<Question>) {
  writeTrader(db, trader, seed);
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
  return toEnd(analyticsOf(reader, user, question)).data;
}

const leaksOf = (trader: Trader, seed: number) => answerTo(trader, seed, {}).leaks;

const percent = (part: number, of: number) => `${((100 * part) / of).toFixed(0)} %`;

/** Share of journals whose leaks are as described. */
function share(trader: Trader, of: number, isFound: (leaks: Leaks) => boolean): string {
  let found = 0;
  for (let seed = 0; seed < of; seed++) if (isFound(leaksOf(trader, seed) as Leaks)) found++;
  return percent(found, of);
}

const isAny = ({ costs, gains }: Leaks) => costs.length + gains.length > 0;
const has = (test: (by: Record<string, unknown>) => boolean) => (leaks: Leaks) =>
  leaks.costs.some(({ by }) => test(by as Record<string, unknown>));

const isAngry = has(({ emotion }) => emotion === 'angry');
const isTired = has(({ sleep }) => sleep === 'under_6h');

/** Share of journals in which a row of losses_today stands out. */
function standingOut(trader: Trader, of: number): string {
  let found = 0;
  for (let seed = 0; seed < of; seed++) {
    const { groups } = answerTo(trader, seed, { sections: ['groups'], groupBy: ['losses_today'] });
    if (groups?.some(({ stands_out }) => stands_out)) found++;
  }
  return percent(found, of);
}

try {
  console.log(`Journals of 1,000 trades: ${journals} of each kind without an effect, ${effects} with each`);
  console.log('| Trader | leaks, none | angry: 0.5 | tired days: 0.5 | losses_today, none | after a loss: 0.3 |');
  console.log('|---|---|---|---|---|---|');
  for (const draw of Object.keys(TRADERS)) {
    for (const alike of [0, 0.3]) {
      for (const accounts of [1, 3]) {
        const kind = { draw, trades: 1000, alike, accounts };
        const cells = [
          share(kind, journals, isAny),
          share({ ...kind, angry: 0.5 }, effects, isAngry),
          share({ ...kind, tired: 0.5 }, effects, isTired),
          standingOut(kind, journals),
          standingOut({ ...kind, afterLoss: 0.3 }, effects),
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
    console.log(`| ${percent(losing, 1)} | ${share({ draw, trades: 10_000 }, long, isAny)} |`);
  }
} finally {
  db.close();
  rmSync(home, { recursive: true, force: true });
}
