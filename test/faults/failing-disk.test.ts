/** Disks that are full or fail at each call with which a writer changes files. */
import { afterAll, describe, expect, test } from 'vitest';
import { isExhaustive } from '../effort.ts';
import { forEachAtOnce, printFigures } from './figures.ts';
import { boundariesOf, type Call, callsOf, hasStrace, runWith } from './strace.ts';
import { muteCommands, ownCalls, Place, WRITERS } from './writers.ts';

/** Of each writer and fault; every run draws others. */
const FEW = { firsts: 2, others: 1 };

muteCommands();

const counts = { faults: 0, halfMade: 0 };

afterAll(() => {
  if (counts.faults > 0) {
    printFigures(
      `calls that failed, by a full disk or an I/O error: ${counts.faults}; after which anything was half made or lost: ${counts.halfMade}`,
    );
  }
});

/** Calls that fail on a full disk. */
const TAKES_ROOM =
  /^(open|openat|creat|mkdir|rename|renameat2?|link|linkat|write|pwrite64|copy_file_range)$/;
const MAY_FAIL = /^(write|pwrite64|fsync|fdatasync|copy_file_range)$/;

/** Files complete before the fault: an empty journal, a secret, an empty key store, the folder of backups, a backup before an upgrade or import, a picture whose line didn't commit, a note that was typed; and SQLite's rollback log. */
const MAY_STAY =
  /^(copies|home([/\\](secret|(journal|keys)\.db|\w+\.db-journal|journal\.db\.version-4|backups([/\\][^/\\]+\.db)?|journal\.db-attachments([/\\][0-9a-f]{64}\.png)?|not-imported-[^/\\]+\.md))?|tmp[/\\].*)$/;

/** Node itself opens now one file more, now one less: the call is then one before or after. */
const OFF_BY = [0, 0, -1, 1];

/** @returns undefined if only the opening of another file failed, to read it: that takes no room */
async function failingRun(
  fault: 'ENOSPC' | 'EIO',
  call: Call,
  writer: (typeof WRITERS)[number],
) {
  for (const offBy of call.name.startsWith('open') ? OFF_BY : [0]) {
    const place = new Place(writer);
    const before = place.names();
    const tried = { ...call, nth: call.nth + offBy };
    const { failed = '', ...ended } = await runWith(
      fault,
      tried,
      place.args,
      place.environment,
    );
    const isOther = /\bopen(at)?\(/.test(failed) && !failed.includes('O_CREAT');
    if (!isOther) return { place, before, ...ended };
  }
  return undefined;
}

/** @param after what the journal holds once the writer has run */
async function failAt(
  fault: 'ENOSPC' | 'EIO',
  call: Call,
  writer: (typeof WRITERS)[number],
  after: string | undefined,
): Promise<void> {
  const found = await failingRun(fault, call, writer);
  if (!found) return;

  const { place, before, code, stderr } = found;
  counts.faults++;
  try {
    // A command that gets by without that call may.
    if (code !== 0) {
      expect(code).toBe(1);
      expect(stderr).toMatch(/^journal-api: (?!unexpected error)/m);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
    const made = place.names().filter((name) => !before.includes(name));
    if (code !== 0) expect(made.filter((name) => !MAY_STAY.test(name))).toEqual([]);
    await place.isWhole(after);
  } catch (error) {
    counts.halfMade++;
    throw new Error(
      `${writer.name}, ${fault} at ${call.text}, ended with ${code}: ${stderr}`,
      {
        cause: error,
      },
    );
  }
}

describe.skipIf(!hasStrace)('needs strace', () => {
  test.each(WRITERS)(
    '$name, by a full disk and by I/O errors',
    { timeout: 3_600_000 },
    async (writer) => {
      const place = new Place(writer);
      const calls = await callsOf(place.args, place.folder, place.environment);
      const after = place.state();
      if (writer.prepare) expect(after).not.toBe(place.before);
      const some = (wanted: RegExp) => {
        const matching = calls.filter(({ name }) => wanted.test(name));
        // A page written is much like the next one.
        const isDifferent = ({ name }: Call, index: number) =>
          name !== 'pwrite64' || index % 5 === 0;
        return isExhaustive
          ? matching.filter(isDifferent)
          : boundariesOf(ownCalls(writer, matching), FEW);
      };
      await forEachAtOnce(some(TAKES_ROOM), (call) =>
        failAt('ENOSPC', call, writer, after),
      );
      await forEachAtOnce(some(MAY_FAIL), (call) => failAt('EIO', call, writer, after));
    },
  );
});
