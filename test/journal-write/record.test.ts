import { expect, test } from 'vitest';
import type * as z from 'zod';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { plainCheck } from '../../src/journal-write/record.ts';

const VALUES = [
  ...[
    null,
    undefined,
    true,
    false,
    0,
    -0,
    1,
    -1,
    5,
    6,
    1.5,
    1e-9,
    1e-8,
    1e-12,
    24,
    24.5,
    2 ** 53,
    1e300,
    Number.NaN,
    Infinity,
    -Infinity,
  ],
  ...[
    '',
    'x',
    '.',
    '..',
    'a b',
    'a\0b',
    'x'.repeat(65),
    'x'.repeat(129),
    'USD',
    'usd',
    'open',
    'long',
    'stock',
    'review',
  ],
  ...[
    '2026-01-05',
    '2026-02-30',
    '2026-01-05T15:00:00.000Z',
    '2026-01-05T15:00:00Z',
    '0000-01-01T00:00:00.000Z',
    'https://a.b',
    'ftp://a.b',
  ],
  ...[[], ['x'], [1], [null], [['x']], [1, 2], {}, { x: 1 }, [{}], [{ rule: 'r', followed: true }]],
];

test.each(RESOURCES.map(({ path, record }) => ({ path, record })))(
  'no value of $path is plainly valid if its schema refuses it',
  ({ record }) => {
    let accepted = 0;
    for (const schema of Object.values(record.shape) as z.ZodType[]) {
      const isPlainlyValid = plainCheck(schema);
      for (const value of VALUES.filter(isPlainlyValid)) {
        accepted++;
        expect(schema.safeParse(value).success, JSON.stringify(value)).toBe(true);
      }
    }
    expect(accepted).toBeGreaterThan(20);
  },
);
