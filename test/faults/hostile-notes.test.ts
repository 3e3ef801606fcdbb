/** Random notes made of the syntax of notes: imported whole or rejected with a clear error, never half. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { keptFirst } from '../corpus.ts';
import { isExhaustive } from '../effort.ts';
import { ImportHome } from '../import/home.ts';
import { printFigures } from './figures.ts';

const RUNS = isExhaustive ? 5000 : 500;

const NAMES = [
  ...new Set(RESOURCES.flatMap(({ record }) => Object.keys(record.shape))),
  ...[
    'type',
    'id',
    'trade',
    'group',
    'time',
    'week',
    'created',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
  ],
  ...[
    'review',
    'market_context',
    'review.lesson',
    'review.__proto__',
    'market_context.constructor',
    '__proto__.x',
    '',
  ],
];

const VALUES = [
  ...[
    'session',
    'entry',
    'trade',
    'weekly-review',
    'missed-trade',
    '2026-11-20',
    '2026-11-20T09:30',
    '0000-00-00',
    '99:99',
  ],
  ...[
    '.inf',
    '-.inf',
    '.nan',
    '1e999',
    '9'.repeat(320),
    '0x10',
    '007',
    '1_000',
    '~',
    'null',
    'yes',
    'constructor',
    '-1',
  ],
  ...[
    '__proto__',
    '[[SPY]]',
    '"[[a|b]]"',
    '[a, [b, [c]]]',
    '{a: {b: 1}}',
    '{__proto__: {x: 1}}',
    '*x',
    '&x [*x]',
    '!!js/function x',
  ],
  ...[
    '"',
    "'",
    '|',
    '>',
    '[',
    '{',
    '- ',
    '? ',
    '! ',
    '%',
    '@',
    '`',
    '# ',
    ': :',
    '\t',
    '\0',
    '\ud800',
    '\u202e',
    '',
  ],
  ...['a'.repeat(5000), '['.repeat(300), '"\\x00"', '"\\ud800"', 'x:: y'],
];

const BODIES = [
  ...[
    '',
    'text',
    'mood:: calm',
    '[symbol:: SPY]',
    '(setup:: x)',
    '[__proto__:: 1]',
    'constructor:: x',
    '#tag #__proto__',
  ],
  ...[
    '```\n'.repeat(50),
    '`'.repeat(1000),
    '[[a'.repeat(500),
    '(a:: '.repeat(500),
    '- '.repeat(1000),
    '**'.repeat(1000),
  ],
  ...[
    ':: '.repeat(1000),
    'a:'.repeat(2000),
    '#'.repeat(2000),
    '\n'.repeat(2000),
    ' '.repeat(5000),
    `a${' '.repeat(5000)}:: b`,
  ],
];

/** Lines of day notes. */
const DAYS = [
  ...[
    '## 09:41 MNQ long',
    '## 25:61 X short <!-- t:constructor -->',
    '### Trade 999: __proto__ short',
    '#### 2026-11-20 7:00',
    '## Session: YYYY-MM-DD',
  ],
  ...[
    '## Missed trades',
    '- 09:45 MNQ long, ORB, +3R',
    '- 10:25 short MGC 1e999 -> -0',
    '> [!a] 09:41 ES long',
    '> setup:: x',
    '- [x] __proto__',
    '- ## Trades',
  ],
  ...[
    '| # | Time | Ticker |\n|---|---|---|\n| 1 | 9:41 | ES |\n| TOTAL |',
    '| Field | Value |\n|--|--|\n| Stop | 1e400 |',
    '<!-- body -->',
    '<!-- end of body -->',
  ],
  ...[
    'rating:: 1e400',
    'risk:: 1e-300',
    'sleep:: 99999h',
    'rules:: =; = yes',
    'tags:: ["\\u0000"]',
    'setup:: "\\ud800"',
    'stop:: 9'.repeat(400),
    '**Date:** 99-99-9999',
  ],
  ...[
    '|'.repeat(3000),
    '> '.repeat(900),
    '('.repeat(290),
    '09:41 '.repeat(45),
    '# '.repeat(900),
    '<!--'.repeat(900),
    '[['.repeat(700),
    '⭐'.repeat(900),
  ],
];

const property = fc
  .tuple(
    fc.constantFrom(...NAMES),
    fc.constantFrom(...VALUES),
    fc.constantFrom(': ', ':', ':\n  - ', ':\n  '),
  )
  .map((parts) => `${parts[0]}${parts[2]}${parts[1]}`);

const note = fc
  .tuple(
    fc.constantFrom(
      'session',
      'entry',
      'trade',
      'missed-trade',
      'weekly-review',
      'trade-group',
      'day',
      'week',
      'future',
    ),
    fc.array(property, { maxLength: 6 }),
    fc.array(fc.oneof(fc.constantFrom(...BODIES), fc.constantFrom(...DAYS)), {
      maxLength: 6,
    }),
    fc.constantFrom('---\n', '---', '...\n', ''),
  )
  .map(
    ([type, properties, bodies, end]) =>
      `---\ntype: ${type}\n${properties.join('\n')}\n${end}${bodies.join('\n')}`,
  );

test('a random note', () => {
  let taken = 0;
  fc.assert(
    fc.property(
      note,
      fc.constantFrom(
        '2026-11-20.md',
        '2026-W47.md',
        'constructor.md',
        '__proto__.md',
        `${'x'.repeat(200)}.md`,
      ),
      (text, name) => {
        const home = new ImportHome().withUser();
        const before = home.bytes();
        try {
          home.import(home.file(name, text));
          taken++;
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
          expect((error as Error).message.length).toBeLessThan(10_000);
          expect(home.bytes().equals(before)).toBe(true);
          return;
        }
        expect(home.findings()).toEqual([]);
      },
    ),
    keptFirst('hostile-notes', RUNS),
  );
  printFigures(`notes made at random: ${RUNS}, of them imported: ${taken}`);
}, 600_000);
