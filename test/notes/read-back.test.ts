/** What an import of notes reads back, in words: fixtures/notes-read-back.txt has note and lines side by side. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { readBackLines } from '../../src/import/report/read-back.ts';
import { ImportHome, TRADE } from '../import/home.ts';

const FIXTURE = fileURLToPath(
  new URL('../fixtures/notes-read-back.txt', import.meta.url),
);

const SEPARATOR = /^=== /m;
const [head, ...CASES] = readFileSync(FIXTURE, 'utf8').split(SEPARATOR) as [
  string,
  ...string[],
];

interface Case {
  what: string;
  file: string;
  note: string;
  /** What is read back, and the errors. */
  lines: string;
}

const NOTES = CASES.map((text): Case => {
  const [, what = '', named, note = '', lines = ''] =
    /^(.*)\n\n(?:file: (.*)\n)?([\s\S]*?)\n\n--- read back\n([\s\S]*)$/.exec(text) ?? [];
  return { what, file: named ?? '2026-11-02.md', note, lines: lines.trim() };
});

const read = new Map<string, string>();

let journal: Buffer | undefined;

/** A home of its own with the trades that the fixture names. */
function home(): ImportHome {
  if (journal) {
    const copy = new ImportHome();
    writeFileSync(copy.journal, journal, { mode: 0o600 });
    return copy;
  }

  const first = new ImportHome().withUser('me', { timezone: 'America/New_York' });
  const trade = (id: string, symbol: string, at: string, more: object = {}) => ({
    ...TRADE,
    id,
    symbol,
    executed_at: `${at}Z`,
    closed_at: '2026-11-10T20:00:00Z',
    ...more,
  });
  const option = (strike: number, option_type: 'call' | 'put', underlying: string) => ({
    market: 'option',
    underlying,
    strike,
    option_type,
    expiration: '2026-11-20',
    multiplier: 100,
  });
  const future = { market: 'future', underlying: 'MNQ', multiplier: 2, side: 'short' };
  const group = { group_id: 'g1' };
  first.import(
    first.lines('trade-groups.jsonl', {
      id: 'g1',
      kind: 'multi_leg',
      name: 'AMD',
      market: 'option',
      status: 'closed',
      opened_at: '2026-11-02T16:15:00Z',
      closed_at: '2026-11-10T20:00:00Z',
    }),
  );
  first.import(
    first.lines(
      'trades.jsonl',
      trade('m1', 'META', '2026-11-02T14:41:00'),
      trade('a1', 'AAPL', '2026-11-02T14:45:00'),
      trade(
        'h1',
        'HOOD  261120C00145000',
        '2026-11-02T15:00:00',
        option(145, 'call', 'HOOD'),
      ),
      trade('q1', 'MNQZ6', '2026-11-02T15:30:00', future),
      trade('p1', 'AMD   261120P00160000', '2026-11-02T16:15:00', {
        ...option(160, 'put', 'AMD'),
        side: 'short',
        ...group,
      }),
      trade('p2', 'AMD   261120P00155000', '2026-11-02T16:15:00', {
        ...option(155, 'put', 'AMD'),
        ...group,
      }),
      trade('m2', 'META', '2026-11-02T18:02:00'),
      trade('s1', 'SPY', '2026-11-09T15:00:00'),
    ),
  );
  journal = first.bytes();
  return first;
}

/** What the import of a note prints. */
function printed({ file, note }: Case): string {
  const own = home();
  const path = own.path(`vault/${file}`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${note}\n`);
  const { files, ignored } = own.import(own.path('vault'));
  const errors = files.flatMap(({ problems }) =>
    problems.map(({ line, message }) => `error in line ${line}: ${message}`),
  );
  const lines = [
    ...files.flatMap(readBackLines),
    ...errors,
    ...ignored.map(({ reason }) => reason),
  ];
  return lines.join('\n').replaceAll(own.path('vault/'), '');
}

test('there are 60 notes, each with a name of its own', () => {
  expect(NOTES.length).toBeGreaterThanOrEqual(60);
  expect(new Set(NOTES.map(({ what }) => what)).size).toBe(NOTES.length);
});

test.each(NOTES)('$what', (own) => {
  const lines = printed(own);
  read.set(own.what, lines);
  if (process.env['READ_BACK'] !== 'write') expect(lines).toBe(own.lines);
});

afterAll(() => {
  if (process.env['READ_BACK'] !== 'write') return;

  const blocks = CASES.map((text, index) => {
    const note = text.slice(0, text.indexOf('\n--- read back\n'));
    return `=== ${note}\n--- read back\n${read.get(NOTES[index]?.what ?? '')}\n\n`;
  });
  writeFileSync(FIXTURE, `${head}${blocks.join('').trimEnd()}\n`);
});
