/**
 * Realised P&L by day, as files state it, compared with the journal: node bench/realised-days.ts FOLDER prints the
 * table of bench/reconciled.md for all exports below a folder, a journal for each.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAllReaders } from '../src/import/formats/index.ts';
import { importPaths } from '../src/import/index.ts';
import type { FillReport } from '../src/import/report/fill-report.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name a folder of exports');

await loadAllReaders();
const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .sort();

interface Compared {
  format: string;
  days: FillReport['days'];
}

/** Dates that fit both orders are taken as day and month. */
const comparedIn = (path: string, i: number): Compared[] =>
  comparedWith(path, `${i}.db`) ?? comparedWith(path, `${i}-dmy.db`, 'dmy') ?? [];

/** Undefined if the file is refused. */
function comparedWith(
  path: string,
  journal: string,
  dates?: 'dmy',
): Compared[] | undefined {
  try {
    const { files: reports } = importPaths({
      paths: [path],
      journal: join(home, journal),
      now: Date.now(),
      note: () => undefined,
      dates,
    });
    return reports.flatMap(({ format, platform }) =>
      platform && platform.days.stated > 0 ? [{ format, days: platform.days }] : [],
    );
  } catch {
    return undefined;
  }
}

const compared = files.flatMap(comparedIn);
rmSync(home, { recursive: true });

console.log(
  '| Format | Files | Days | Equal to the cent | Others |\n|---|---|---|---|---|',
);
for (const [format, of] of [...Map.groupBy(compared, (one) => one.format)].sort()) {
  const stated = of.reduce((sum, { days }) => sum + days.stated, 0);
  const differing = of.flatMap(({ days }) => days.differing);
  const reasons = [...Map.groupBy(differing, ({ reason }) => reason)].map(
    ([reason, { length }]) => `${length} ${reason}`,
  );
  const equal = stated - differing.length;
  console.log(
    `| ${format} | ${of.length} | ${stated} | ${equal} | ${reasons.join(', ')} |`,
  );
}
