/** Writers killed before each system call that changes files: the owner can use what is left. */
import { afterAll, describe, expect, test } from 'vitest';
import { isExhaustive } from '../effort.ts';
import { forEachAtOnce, printFigures } from './figures.ts';
import { boundariesOf, type Call, callsOf, hasStrace, runWith } from './strace.ts';
import { muteCommands, ownCalls, Place, WRITERS } from './writers.ts';

/** Of each writer; every run draws others. */
const FEW = { firsts: 5, others: 1 };

muteCommands();

const counts = { kills: 0, refused: 0 };

afterAll(() => {
  if (counts.kills > 0) {
    printFigures(
      `writers killed: ${counts.kills}; after which a command refused or anything was lost: ${counts.refused}`,
    );
  }
});

/** @param after what the journal holds once the writer has run */
async function killAt(
  call: Call,
  writer: (typeof WRITERS)[number],
  after: string | undefined,
): Promise<void> {
  let place: Place;
  let code: number | null;
  // Node itself opens now one file more, now one less, before the program begins: then the call is another one.
  for (let tries = 0; ; tries++) {
    place = new Place(writer);
    ({ code } = await runWith('KILL', call, place.args, place.environment));
    if (code === null) break;
    if (tries === 5) throw new Error(`${writer.name} was not killed before ${call.text}`);
  }
  counts.kills++;
  try {
    await place.isWhole(after);
  } catch (error) {
    counts.refused++;
    throw new Error(`${writer.name}, killed before ${call.text}`, { cause: error });
  }
}

describe.skipIf(!hasStrace)('killed before each change of a file (needs strace)', () => {
  test.each(WRITERS)('$name', { timeout: 3_600_000 }, async (writer) => {
    const place = new Place(writer);
    const calls = await callsOf(place.args, place.folder, place.environment);
    const after = place.state();
    if (writer.prepare) expect(after).not.toBe(place.before);
    expect(calls.length).toBeGreaterThan(5);
    const chosen = isExhaustive ? calls : boundariesOf(ownCalls(writer, calls), FEW);
    await forEachAtOnce(chosen, (call) => killAt(call, writer, after));
  });
});
