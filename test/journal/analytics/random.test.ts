/** The analytics and the compact summary of random journals, compared with the reference: RUNS=100000 checks that many. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALL_DIMENSIONS } from '../../../src/journal/analytics/dimensions.ts';
import { runs } from '../../effort.ts';
import { World } from '../../helpers.ts';
import { Figure } from './figure.ts';
import { filler } from './fill.ts';
import { busyQuestion, type Question, question } from './journals.ts';
import { analytics, askedOf, DIMENSION_NAMES, spanOf, summary } from './reference.ts';

const RUNS = Number(process.env['RUNS'] ?? runs(600, 60));

test('the reference has each dimension', () => {
  const missing = ALL_DIMENSIONS.filter((name) => !DIMENSION_NAMES.includes(name));
  expect(missing, 'add them to DIMENSIONS of reference.ts').toEqual([]);
});

/** A day that the calendar skipped can't be requested. */
const exists = ({ start, end, journal: { person } }: Question) => {
  const { from, to } = spanOf(person.timezone, start, end);
  return from === null || to === null || from < to;
};

/** The query of a request. */
const sent = (ask: object) =>
  Object.fromEntries(
    Object.entries(ask).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, `${value}`]],
    ),
  );

test.each([
  ['the analytics equal those of the reference', question.filter(exists), RUNS],
  [
    'also if many trades of an account follow each other',
    busyQuestion,
    Math.ceil(RUNS / 2),
  ],
])(
  '%s',
  async (_title, questions, numRuns) => {
    const world = new World();
    const fill = filler(world);
    const key = world.key();
    await fc.assert(
      fc.asyncProperty(
        questions,
        async ({
          journal,
          filters,
          start,
          end,
          period,
          now,
          unit,
          group_by,
          top,
          where,
          exclude,
          best,
          worst,
        }) => {
          fill(journal);
          world.now = now;
          const ask = period === undefined ? { start, end } : { period };
          const conditions = {
            where: where && JSON.stringify(where),
            exclude: exclude && JSON.stringify(exclude),
          };
          const parts = { unit, group_by, top, best, worst };
          const query = new URLSearchParams({
            ...filters,
            ...sent({ ...ask, ...parts, ...conditions }),
          });
          const { body } = await world.ask(`/v1/analytics/summary?${query}`, { key });
          const asked = askedOf(journal.person.timezone, ask, now);
          const expected = analytics(
            journal,
            asked,
            filters,
            { ...parts, where, exclude },
            now,
          );
          expect(body.data).toEqual(Figure.settle(expected, body.data));
        },
      ),
      { numRuns },
    );
  },
  600_000,
);

test('the figures of the compact summary equal those of the reference', async () => {
  const world = new World();
  const fill = filler(world);
  const key = world.key();
  await fc.assert(
    fc.asyncProperty(question, async ({ journal, now, days, period, end, unit }) => {
      fill(journal);
      world.now = now;
      const ask = period === undefined ? { days, end: end?.slice(0, 10) } : { period };
      const { body } = await world.ask(
        `/v1/summary?${new URLSearchParams(sent({ ...ask, unit }))}`,
        { key },
      );
      const {
        recent_journals: _j,
        weekly_reviews: _r,
        missed_trades: _m,
        ...given
      } = body.data;
      const expected = summary(
        journal,
        askedOf(journal.person.timezone, ask, now, 365),
        unit,
        now,
      );
      expect(given).toEqual(Figure.settle(expected, given));
    }),
    { numRuns: Math.ceil(RUNS / 3) },
  );
}, 600_000);
