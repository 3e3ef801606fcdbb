/** Long notes, whatever they repeat, nest or leave open: read in time linear in their bytes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { isExhaustive } from '../effort.ts';
import { ImportHome, TRADE } from '../import/home.ts';
import { printFigures } from './figures.ts';

const BYTES = 250_000;
const RUNS = Number(process.env.LN ?? (isExhaustive ? 1000 : 20));
/** Processor time of a note, as a multiple of what one of as many paragraphs as possible takes. */
const MAX_TIMES = 5;

const DAY = '---\ntype: day\n---\n';
const OPEN = '---\ntype: day\n';

/** What comes before, so that the repeated text is of a day, a trade, goals, missed trades, a table, properties, an entry. */
const BEGINNINGS = [
  ...[
    DAY,
    `${DAY}## 14:30 AAPL long <!-- t:t1 -->\n`,
    `${DAY}## Goals\n`,
    `${DAY}## Missed trades\n`,
    `${DAY}- # Outline\n`,
  ],
  ...[
    `${DAY}| # | Time | Ticker | Dir |\n|---|---|---|---|\n`,
    `${DAY}## 14:30 AAPL long\n| Field | Value |\n|---|---|\n`,
  ],
  ...[
    `${DAY}| Time | Symbol | Side |\n|---|---|---|\n`,
    `${DAY}${'| a '.repeat(400)}|\n${'|---'.repeat(400)}|\n`,
  ],
  ...[
    `${OPEN}goals:\n`,
    `${OPEN}goals: [`,
    `${OPEN}plan: |\n`,
    `${OPEN}x: &a b\ngoals:\n`,
    '---\ntype: session\n---\n',
    '---\ntype: week\nperiod_start: 2026-11-02\n---\n## Next week\n',
  ],
];

/** § is replaced by a number. */
const UNITS = [
  ...[
    '## AAPL long',
    '## AAPL\nsetup:: a',
    '## 14:30 AAPL long',
    '## 14:30 AAPL long\nentry:: §',
    '## Trade §: AAPL long',
    '### Trade 3 Review',
    '# a',
  ],
  ...[
    '## 14:30 AAPL long <!-- t:x§ -->',
    '### 13:20 NQ long (missed)\nreason:: limit',
    '## Session: 2026-11-02\nmood:: a',
  ],
  ...[
    '- 09:45 MNQ long, ORB, hesitated, +3R',
    '- 09:45 S§ long',
    '- 14:30 long AAPL, chased',
    '- [x] a',
    '- [ ] a',
    '- a',
  ],
  ...[
    'risk:: 1%',
    'setup:: a',
    'wibble:: a',
    'rating:: 9',
    'lesson:: a',
    '**Setup:** a',
    '**Lesson**\na',
    'rules:: a = no; ',
  ],
  ...[
    '| § | 14:30 | AAPL | long |',
    '| Setup | x |',
    '|',
    '| a | b |\n|---|---|\n| Setup | x |\n',
    '| TOTAL |',
  ],
  ...[
    '```',
    '~~~\n```',
    '```\na\n```',
    '<!--',
    '<!-- a -->',
    '<!-- body -->',
    '<!-- body -->\na\n<!-- end of body -->',
  ],
  ...[
    '> ',
    '> [!note] a\n> b',
    '> [!note] 14:30 AAPL long\n> setup:: b',
    '---',
    '- ',
    '\t- a\n\t  setup:: b',
    '  a',
    ' ',
    '\t',
  ],
  ...[
    '![a](https://a.b/§)',
    '![a](https://a.b/',
    '[[',
    '[[a|',
    '`',
    '*',
    '_',
    '**a',
    '<a ',
    '#a',
    ':',
    '::',
    '::: ',
    '(a:: ',
    '[mood:: a] ',
  ],
  ...[
    '\r',
    '\0',
    'word',
    '14:30 ',
    '2026-11-02 ',
    '⭐',
    '"',
    '{a: ',
    '[',
    '- !x a',
    '!x a, ',
    '- &a§ b',
    '- *a',
    'a§: b',
    '? a',
    '- - - ',
  ],
];

/** A text of so many bytes from a unit: line by line, on one line, each deeper than the last, or without its end. */
const ARRANGED: Record<string, (unit: (n: number) => string, bytes: number) => string> = {
  lines: (unit, bytes) => repeated((n) => `${unit(n)}\n`, bytes),
  paragraphs: (unit, bytes) => repeated((n) => `${unit(n)}\n\n`, bytes),
  'one line': (unit, bytes) => repeated(unit, bytes),
  deeper: (unit, bytes) => repeated((n) => `${' '.repeat(n % 300)}${unit(n)}\n`, bytes),
  quoted: (unit, bytes) =>
    repeated((n) => `${'>'.repeat(1 + (n % 100))} ${unit(n)}\n`, bytes),
  'left open': (unit, bytes) =>
    repeated((n) => `${unit(n).slice(0, Math.ceil(unit(n).length / 2))}\n`, bytes),
};

function repeated(part: (n: number) => string, bytes: number): string {
  const parts: string[] = [];
  for (let size = 0; size < bytes; size += (parts.at(-1) as string).length)
    parts.push(part(parts.length));
  return parts.join('');
}

/** A journal with 50 trades of one minute. */
class Notes extends ImportHome {
  readonly #empty: Buffer;

  constructor() {
    super();
    this.withUser('me', { starting_balance: 1000 });
    const trades = Array.from({ length: 50 }, (_, n) => ({
      ...TRADE,
      id: `t${n}`,
      entry_price: 100 + n,
    }));
    this.import(this.lines('trades.jsonl', ...trades));
    this.#empty = this.bytes();
  }

  /** Seconds of processor time for the import of a note; an error that refuses it is as good. */
  secondsFor(text: string): number {
    this.file('journal.db', this.#empty);
    this.notes = [];
    const file = this.file('2026-11-02.md', text);
    const before = process.cpuUsage();
    try {
      this.import(file);
    } catch (error) {
      expect(error).toBeInstanceOf(UserError);
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  }
}

test('four times the bytes of a note take at most linear time', {
  timeout: 3_600_000,
}, () => {
  const notes = new Notes();
  const paragraphs = `${DAY}${repeated(() => 'a\n\n', 4 * BYTES)}`;
  const usual = Math.min(...[1, 2, 3].map(() => notes.secondsFor(paragraphs)));
  let most = { seconds: 0, what: '' };
  fc.assert(
    fc.property(
      fc.constantFrom(...BEGINNINGS),
      fc.constantFrom(...UNITS),
      fc.constantFrom(...Object.keys(ARRANGED)),
      fc.boolean(),
      (beginning, unit, arrangement, isClosed) => {
        const arranged = ARRANGED[arrangement] as (typeof ARRANGED)[string];
        const end = isClosed ? '\n---\n## Plan\na\n' : '';
        const noteOf = (bytes: number) =>
          `${beginning}${arranged((n) => unit.replaceAll('§', String(n)), bytes)}${end}`;
        // By the square it would be sixteen times. A disturbed measurement is repeated.
        let [short, long] = [0, Number.POSITIVE_INFINITY];
        for (let run = 0; run < 3 && long > 8 * short + 0.25; run++) {
          short = Math.max(short, notes.secondsFor(noteOf(BYTES)));
          long = Math.min(long, notes.secondsFor(noteOf(4 * BYTES)));
        }
        if (long > most.seconds)
          most = {
            seconds: long,
            what: JSON.stringify([beginning.slice(0, 60), unit, arrangement, isClosed]),
          };
        expect(long).toBeLessThan(8 * short + 0.25);
        expect(long).toBeLessThan(MAX_TIMES * usual + 0.25);
      },
    ),
    { numRuns: RUNS },
  );
  printFigures(
    `notes of ${4 * BYTES} bytes: ${RUNS}; the slowest ${most.seconds.toFixed(2)} s, ` +
      `of as many paragraphs ${usual.toFixed(2)} s: ${most.what}`,
  );
});
