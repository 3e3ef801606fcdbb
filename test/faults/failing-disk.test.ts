/** Disks that are full or fail at each call with which a writer changes files. */
import { afterAll, describe, expect, test } from 'vitest';
import { isExhaustive } from '../effort.ts';
import { forEachAtOnce, printFigures } from './figures.ts';
import { boundariesOf, type Call, callsOf, hasStrace, runWith } from './strace.ts';
import { muteCommands, Place, WRITERS } from './writers.ts';

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
const TAKES_ROOM = /^(open|openat|creat|mkdir|rename|renameat2?|link|linkat|write|pwrite64|copy_file_range)$/;
const MAY_FAIL = /^(write|pwrite64|fsync|fdatasync|copy_file_range)$/;

/** Files complete before the fault: an empty journal, a secret, an empty key store, the folder of backups, a backup before an upgrade or import; and SQLite's rollback log. */
const MAY_STAY =
  /^(copies|home([/\\](secret|(journal|keys)\.db|\w+\.db-journal|journal\.db\.version-4|backups([/\\][^/\\]+\.db)?))?)$/;

async function failAt(fault: 'ENOSPC' | 'EIO', call: Call, writer: (typeof WRITERS)[number]): Promise<void> {
  const place = new Place(writer);
  const before = place.names();
  const { code, stderr } = await runWith(fault, call, place.args);
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
    await place.isWhole();
  } catch (error) {
    counts.halfMade++;
    throw new Error(`${writer.name}, ${fault} at ${call.text}, ended with ${code}: ${stderr}`, { cause: error });
  }
}

describe.skipIf(!hasStrace)('needs strace', () => {
  test.each(WRITERS)('$name, by a full disk and by I/O errors', { timeout: 600_000 }, async (writer) => {
    const place = new Place(writer);
    const calls = await callsOf(place.args, place.folder);
    const some = (wanted: RegExp) => {
      const matching = calls.filter(({ name }) => wanted.test(name));
      // A page written is much like the next one.
      const isDifferent = ({ name }: Call, index: number) => name !== 'pwrite64' || index % 5 === 0;
      return isExhaustive ? matching.filter(isDifferent) : boundariesOf(matching, 2);
    };
    await forEachAtOnce(some(TAKES_ROOM), (call) => failAt('ENOSPC', call, writer));
    await forEachAtOnce(some(MAY_FAIL), (call) => failAt('EIO', call, writer));
  });
});
