import { describe, expect, test } from 'vitest';
import { durationOf, expiryOf } from '../../src/keys/issue.ts';
import { toInstantText } from '../../src/time.ts';

const NOW = Date.parse('2026-11-20T15:00:00.000Z');
const at = (text: string, zone = 'UTC') => toInstantText(expiryOf(text, NOW, zone));

describe('--expires', () => {
  test.each([
    ['1h', '2026-11-20T16:00:00.000Z'],
    ['24h', '2026-11-21T15:00:00.000Z'],
    ['7d', '2026-11-27T15:00:00.000Z'],
    ['12w', '2027-02-12T15:00:00.000Z'],
    ['365d', '2027-11-20T15:00:00.000Z'],
    ['2026-11-20', '2026-11-21T00:00:00.000Z'],
    ['2027-11-19', '2027-11-20T00:00:00.000Z'],
  ])('%s ends at %s', (text, end) => {
    expect(at(text)).toBe(end);
  });

  test('a date ends with that day in the zone of the user', () => {
    expect(at('2026-12-01', 'America/New_York')).toBe('2026-12-02T05:00:00.000Z');
    expect(at('2026-12-01', 'Australia/Lord_Howe')).toBe('2026-12-01T13:00:00.000Z');
  });

  test.each([
    ['366d', /at most 365 days/],
    ['53w', /at most 365 days/],
    ['8761h', /at most 365 days/],
    ['2027-11-20', /at most 365 days/],
    ['2026-11-19', /already passed/],
    ['0d', /such as 1h/],
    ['-1d', /such as 1h/],
    ['30', /such as 1h/],
    ['1m', /such as 1h/],
    ['never', /such as 1h/],
    ['', /such as 1h/],
    ['2026-02-30', /such as 1h/],
    ['999999999999d', /such as 1h/],
  ])('refuses %j', (text, reason) => {
    expect(() => at(text)).toThrow(reason);
  });
});

test('an error about --grace names --grace', () => {
  expect(durationOf('24h', '--grace')).toBe(86_400_000);
  expect(() => durationOf('x', '--grace')).toThrow(/^--grace takes/);
});
