/** A session that a note states and the user removed: the same note states nothing new of it. */
import { expect, test } from 'vitest';
import { removeRecords } from '../../src/edit/annotate.ts';
import { edit } from '../../src/edit/edit.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { sessions } from '../../src/journal/resources/journals.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { answers } from '../import/changed.ts';
import { ImportHome } from '../import/home.ts';

const NOTE = `---
type: day
---
mood:: calm

Chased.

## Missed trades

- 11:00 MSFT long, slow
`;
const CSV = `id,date,started_at,notes
day:2026-11-20,2026-11-20,2026-11-20 09:30,Fast.
`;

class Home extends ImportHome {
  readonly #earlier: unknown[] = [];

  step(act: () => void): void {
    this.#earlier.push(answers(this));
    this.now += 60_000;
    act();
    expect(this.findings()).toEqual([]);
  }

  importNote(text: string, timeZone: string): void {
    const file = this.file('2026-11-20.md', text);
    this.step(() => this.import(file, { timeZone }));
  }

  removeSession(): void {
    const options = { name: 'remove', line: 'remove', resource: trades };
    this.step(() =>
      edit(this.target, options, (lines) =>
        removeRecords(lines, sessions, ['day:2026-11-20']),
      ),
    );
  }

  session(): unknown {
    return this.rows('SELECT mood, notes FROM sessions')[0];
  }

  undoAll(): void {
    for (const before of this.#earlier.toReversed()) {
      undoImport(this.target);
      expect(answers(this)).toEqual(before);
    }
  }
}

test('a table that stated the session since keeps its values', () => {
  const home = new Home().withUser('me', { timezone: 'America/New_York' });
  home.importNote(NOTE, 'UTC');
  home.removeSession();
  home.step(() => home.import(home.file('sessions.csv', CSV), { timeZone: 'UTC' }));
  home.importNote(NOTE, 'Asia/Tokyo');
  expect(home.session()).toEqual({ mood: null, notes: 'Fast.' });
  home.undoAll();
});

test.each([
  ['another part of the note changed', NOTE.replace('slow', 'late'), undefined],
  [
    'its own part changed',
    NOTE.replace('calm', 'tense'),
    { mood: 'tense', notes: 'Chased.' },
  ],
])('%s', (_, changed, expected) => {
  const home = new Home().withUser('me', { timezone: 'America/New_York' });
  home.importNote(NOTE, 'UTC');
  home.removeSession();
  home.importNote(changed, 'UTC');
  expect(home.session()).toEqual(expected);
  home.importNote(changed.replace('late', 'asleep'), 'Asia/Tokyo');
  expect(home.session()).toEqual(expected);
  home.undoAll();
});
