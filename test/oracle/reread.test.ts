/** Any lines of `import list`, and their files read again by the same readers: nothing differs. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { rereadFiles } from '../../src/import/reread.ts';
import { isExhaustive, isThorough } from '../effort.ts';
import { sequence } from './commands.ts';
import { GivenJournal } from './journals.ts';

function sequences(): number {
  if (isExhaustive) return 200;
  return isThorough ? 30 : 4;
}

test('files read again by the same readers change nothing', { timeout: 3_600_000 }, () => {
  const journals = fc.property(sequence, (drawn) => {
    const { home, lines } = new GivenJournal(drawn);
    home.write('UPDATE imports SET revision = 0');
    const before = home.everything();
    const { different, failed } = rereadFiles({ journal: home.journal, now: home.now });
    const found = { different, failed: failed.map(({ id, problem }) => `${id} ${problem}`) };
    expect(found, JSON.stringify(lines.map(({ id, given }) => [id, given]))).toEqual({ different: [], failed: [] });
    expect(home.everything()).toEqual(before);
  });
  fc.assert(journals, { numRuns: sequences() });
});
