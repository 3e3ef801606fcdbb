/** Days and hours of time zones, checked against the platform's calendar. */
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import {
  addDays,
  dateOfDay,
  dayNumber,
  daysBetween,
  isDate,
  lacksOffset,
  parseInstant,
  parseLocal,
  weekdayOf,
  ZoneClock,
} from '../src/time.ts';

const ZONES = [
  'UTC',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Europe/Dublin',
  'America/St_Johns',
  'Pacific/Apia',
  'Pacific/Chatham',
  'Africa/Casablanca',
  'Asia/Tehran',
  'America/Santiago',
  'Asia/Beirut',
];

test.each(ZONES)('%s: the date and hour of an instant are local', (timeZone) => {
  const wall = new Intl.DateTimeFormat('sv', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  });
  const clock = new ZoneClock(timeZone);
  const span = {
    min: Date.parse('1971-01-01T00:00:00Z'),
    max: Date.parse('2036-01-01T00:00:00Z'),
  };
  fc.assert(
    fc.property(fc.integer(span), (at) => {
      expect(`${clock.dateOf(at)} ${String(clock.hourOf(at)).padStart(2, '0')}`).toBe(
        wall.format(at),
      );
    }),
    { numRuns: 1500 },
  );
});

test.each(ZONES)('%s: a day starts at the first instant of its date', (timeZone) => {
  const clock = new ZoneClock(timeZone);
  fc.assert(
    fc.property(
      fc.integer({ min: dayNumber('1990-01-01'), max: dayNumber('2035-01-01') }),
      (day) => {
        const start = clock.startOfDay(dateOfDay(day));
        // A day that a zone skipped starts and ends with the next day.
        expect(clock.dayOf(start)).toBeGreaterThanOrEqual(day);
        expect(clock.dayOf(start - 1)).toBeLessThan(day);
      },
    ),
    { numRuns: 500 },
  );
});

test('Samoa had no 2011-12-30', () => {
  const clock = new ZoneClock('Pacific/Apia');
  expect(clock.startOfDay('2011-12-30')).toBe(clock.startOfDay('2011-12-31'));
  expect(clock.dateOf(clock.startOfDay('2011-12-31') - 1)).toBe('2011-12-29');
});

test.each([
  ['2026-11-16', 1],
  ['2026-11-22', 7],
  ['1970-01-01', 4],
  ['1969-12-28', 7],
])('%s is weekday %i', (date, weekday) => {
  expect(weekdayOf(dayNumber(date))).toBe(weekday);
});

test('days are counted on the calendar', () => {
  expect(addDays('2024-02-28', 2)).toBe('2024-03-01');
  expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
  expect(daysBetween('2026-03-07', '2026-03-09')).toBe(2);
  expect(dateOfDay(dayNumber('2026-11-20'))).toBe('2026-11-20');
});

test.each([
  ['2026-11-20', true],
  ['2024-02-29', true],
  ['2026-02-29', false],
  ['2026-13-01', false],
  ['2026-1-1', false],
  ['2026-11-20T00:00:00Z', false],
])('isDate(%s) is %s', (text, expected) => {
  expect(isDate(text)).toBe(expected);
});

test.each([
  ['2026-11-20T14:30:00Z', '2026-11-20T14:30:00.000Z'],
  ['2026-11-20t14:30:00.5z', '2026-11-20T14:30:00.500Z'],
  ['2026-11-20 14:30:00+02:00', '2026-11-20T12:30:00.000Z'],
  ['2026-11-20T14:30:00.0001Z', '2026-11-20T14:30:00.001Z'],
  ['2026-11-20T14:30:00', undefined],
  ['2026-11-20', undefined],
  ['2026-02-30T14:30:00Z', undefined],
])('the instant of %s is %s', (text, expected) => {
  const at = parseInstant(text);
  expect(at === undefined ? undefined : new Date(at).toISOString()).toBe(expected);
});

test('a time without an offset is detected, and can be read in a zone', () => {
  expect(lacksOffset('2026-11-20T14:30:00')).toBe(true);
  expect(lacksOffset('2026-11-20T14:30:00Z')).toBe(false);
  // The first time does not exist, and the second occurs twice.
  expect(
    new Date(parseLocal('2026-03-08T02:30:00', 'America/New_York')!).toISOString(),
  ).toBe('2026-03-08T07:30:00.000Z');
  expect(
    new Date(parseLocal('2026-11-01T01:30:00', 'America/New_York')!).toISOString(),
  ).toBe('2026-11-01T05:30:00.000Z');
});

test('local times of a zone, read in sequence, match the zone library', () => {
  const zones = fc.constantFrom(
    'UTC',
    'America/New_York',
    'Europe/Berlin',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
  );
  // Includes days of clock changes, with times that don't exist or occur twice.
  const days = fc.constantFrom(
    '2026-03-08',
    '2026-03-07',
    '2026-11-01',
    '2026-11-02',
    '2026-03-29',
    '2026-10-25',
    '2026-04-05',
    '2026-10-04',
    '2020-02-29',
    '2021-02-29',
    '1883-11-18',
    '0001-01-01',
  );
  const two = (max: number) =>
    fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'));
  const times = fc
    .tuple(two(25), two(60), two(60), fc.constantFrom('', '.5', '.123', '.1239', ',5'))
    .map(([h, m, s, rest]) => `${h}:${m}:${s}${rest}`);
  fc.assert(
    fc.property(
      zones,
      fc.array(fc.tuple(days, times), { minLength: 1, maxLength: 8 }),
      (zone, all) => {
        for (const [day, time] of all) {
          let expected: number | undefined;
          try {
            const local = Temporal.PlainDateTime.from(
              `${day}T${time.replace(',', '.')}`,
              {
                overflow: 'reject',
              },
            );
            expected = local.toZonedDateTime(zone).epochMilliseconds;
          } catch {}
          expect([day, time, parseLocal(`${day}T${time}`, zone)]).toEqual([
            day,
            time,
            expected,
          ]);
        }
      },
    ),
    { numRuns: 300 },
  );
});
