/** The lines of test/fixtures/journal-9.sql: one of each kind at least. */
import type { Drawn } from './commands.ts';

const file = (name: string): Drawn => ({
  do: 'import',
  file: name,
  zone: 'UTC',
  account: null,
});

export const OLDER_LINES: readonly Drawn[] = [
  file('first.csv'),
  file('second.csv'),
  { do: 'annotate', number: 0, text: 'a' },
  { do: 'annotate', number: 0, text: 'b' },
  { do: 'labels', number: 1, text: 'c' },
  { do: 'note', number: 1, text: 'a' },
  file('closed.csv'),
  file('sessions.csv'),
  file('better.csv'),
  file('2026-11-20.md'),
  { do: 'change', number: 6, zone: 'Asia/Tokyo', account: null },
  { do: 'diary', text: 'b' },
  file('euro.csv'),
  { do: 'labels', number: 0, text: 'b' },
  { do: 'group', number: 4, text: 'a' },
  { do: 'excursions' },
  { do: 'rates', number: 3, clear: false, account: 'main' },
  { do: 'fees', number: 1, clear: false, account: 'main' },
  { do: 'limits', number: 5, clear: false, account: 'main' },
  { do: 'change', number: 0, zone: 'America/Chicago', account: null },
  file('open.csv'),
  { do: 'expire', number: 0, text: 'a' },
  { do: 'change', number: 1, zone: null, account: 'wrong' },
  { do: 'rename', number: 0, to: 'Big' },
  { do: 'remove', number: 0 },
  { do: 'ungroup', number: 0, text: 'a' },
  file('merging.csv'),
];
