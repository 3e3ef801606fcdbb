/**
 * False and true positives of leaks, and its processor time. Journals of 1,000 trades, about 200 of them worse by a part of the standard
 * deviation: node bench/leaks.ts [JOURNALS [PART ...]] (default: 1,000 journals without an effect; 0 journals measure only the time)
 */
import { Leaks } from '../src/journal/analytics/leaks.ts';
import { Simulation } from '../src/journal/analytics/simulation.ts';
import { toEnd } from '../src/sqlite/read-queue.ts';
import { ZoneClock } from '../src/time.ts';
import { madeUp, TRADERS } from './traders.ts';

const [journals = 1000, ...parts] = process.argv.slice(2).map(Number);
const clock = new ZoneClock('UTC');

function leaksOf(name: string, trades: number, seed: number, worse: number) {
  const leaks = new Leaks(clock);
  for (const trade of madeUp(name, trades, seed, worse)) leaks.add(trade);
  return leaks;
}

for (const worse of journals === 0 ? [] : parts.length === 0 ? [0] : parts) {
  for (const name of Object.keys(TRADERS)) {
    let [shown, found, tried] = [0, 0, 0];
    for (let seed = 0; seed < journals; seed++) {
      const result = toEnd(leaksOf(name, 1000, seed, worse).result());
      tried += result.tried;
      if (result.found > 0) shown++;
      if (result.costs.some(({ by }) => by['emotion'] === 'angry')) found++;
    }
    const percent = (part: number) => `${((100 * part) / journals).toFixed(1)} %`;
    console.log(
      `${name}, ${worse} standard deviations: of ${journals} journals ${percent(shown)} show a row, ${percent(found)} the worse trades; ${Math.round(tried / journals)} rows tried`,
    );
  }
}

const cpu = (run: () => void) => {
  const started = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(started);
  return `${Math.round((user + system) / 1000)} ms`;
};
if (journals === 0) {
  console.log('| Processor time | 1,000 trades | 10,000 trades | 100,000 trades |\n|---|---|---|---|');
  const sizes = [1000, 10_000, 100_000];
  const rows: Record<string, (trades: number) => string> = {
    'leaks, while trades are read': (trades) => {
      const [leaks, made] = [new Leaks(clock), [...madeUp('trend follower', trades, 1, 0.3)]];
      return cpu(() => {
        for (const trade of made) leaks.add(trade);
      });
    },
    'leaks, the test': (trades) => {
      const leaks = leaksOf('trend follower', trades, 1, 0.3);
      return cpu(() => toEnd(leaks.result()));
    },
    simulation: (trades) => {
      const simulation = new Simulation();
      for (const trade of madeUp('trend follower', trades, 1)) simulation.add({ ...trade, r: trade.net, risk: 1 });
      return cpu(() => toEnd(simulation.result(1000)));
    },
  };
  for (const [name, cost] of Object.entries(rows)) console.log(`| ${name} | ${sizes.map(cost).join(' | ')} |`);
}
