/** Any lines of `import list`, and their files read again by the same readers: nothing differs. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ofOtherRevision, rereadFiles } from '../../src/edit/reread.ts';
import { isExhaustive, isThorough } from '../effort.ts';
import { sequence } from './commands.ts';
import { GivenJournal } from './journals.ts';

/** The long run draws other sequences each time; the others try the same ones. */
const SEED_OF_FEW = 55;

function sequences(): number {
  if (isExhaustive) return 200;
  return isThorough ? 30 : 4;
}

test('files read again by the same readers change nothing', {
  timeout: 3_600_000,
}, () => {
  const journals = fc.property(sequence, (drawn) => {
    const { home, lines } = new GivenJournal(drawn);
    home.write('UPDATE imports SET revision = 0');
    const before = home.everything();
    const options = home.target;
    // A note finds the trades of today: those that it named may have merged since.
    // A record of a renamed account is stated with its former name, too, once it is read again.
    // What another program wrote over a file's own field counts as the file's: it is read again.
    const isRestated = lines.some(
      ({ given }) => given.do === 'rename' || given.do === 'foreign',
    );
    const files = ofOtherRevision(options).filter(
      ({ file, records }) => !file.endsWith('.md') && !(isRestated && records > 0),
    );
    const reports = files.map(({ id }) => rereadFiles({ ...options, id }));
    const found = {
      different: reports.flatMap(({ different }) => different),
      failed: reports.flatMap(({ failed }) => failed),
    };
    expect(found, JSON.stringify(lines.map(({ id, given }) => [id, given]))).toEqual({
      different: [],
      failed: [],
    });
    expect(home.everything()).toEqual(before);
  });
  fc.assert(
    journals,
    isExhaustive ? { numRuns: sequences() } : { numRuns: sequences(), seed: SEED_OF_FEW },
  );
});
