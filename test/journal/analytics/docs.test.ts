/** docs/analytics.md: its examples hold, and no figure is without one. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { analyticsRecord } from '../../../src/journal/analytics/index.ts';
import { performanceRecord } from '../../../src/journal/analytics/performance-record.ts';
import { World } from '../../helpers.ts';
import { filler, journal, listed, missed } from './fill.ts';
import type { Entry, Missed, Person, Trade } from './reference.ts';

interface Example {
  user?: Partial<Person>;
  trades?: Partial<Trade>[];
  journals?: Entry[];
  missed_trades?: Partial<Missed>[];
  request?: string;
  [section: string]: unknown;
}

const text = readFileSync(new URL('../../../docs/analytics.md', import.meta.url), 'utf8');

const EXAMPLES = [...text.matchAll(/^```json\n(.*?)^```/gms)].map(([all, json]) => {
  const line = text.slice(0, text.indexOf(all)).split('\n').length;
  return [line, JSON.parse(json as string) as Example] as const;
});

test.each(EXAMPLES)('the example in line %i', async (_line, example) => {
  const { user, trades = [], journals = [], missed_trades = [], request = '', ...gives } = example;
  const world = new World();
  filler(world)(
    journal(user, listed(...trades), {
      entries: journals.map((entry, i) => ({ ...entry, id: `j${i}` })),
      missed: missed_trades.map((more, i) => missed(`m${i}`, more)),
    }),
  );
  const { status, body } = await world.ask(`/v1/analytics/summary?${request}`, { key: world.key() });
  expect(status).toBe(200);
  expect(Object.keys(gives)).not.toEqual([]);
  expect(body.data).toMatchObject(gives);
});

test.each([
  ['performance', Object.keys(performanceRecord.shape)],
  ['breakdowns', Object.keys(analyticsRecord.shape.breakdowns.shape)],
  ['mistakes', Object.keys(analyticsRecord.shape.mistakes.shape)],
  ['rules', Object.keys(analyticsRecord.shape.rules.shape)],
  ['missed', Object.keys(analyticsRecord.shape.missed.shape)],
  ['open', Object.keys(analyticsRecord.shape.open.shape)],
  ['data_quality', Object.keys(analyticsRecord.shape.data_quality.shape)],
  ['period', Object.keys(analyticsRecord.shape.period.shape)],
])('every figure of %s has an example', (section, figures) => {
  const shown = new Set(EXAMPLES.flatMap(([, example]) => Object.keys(example[section] ?? {})));
  expect(figures.filter((figure) => !shown.has(figure) && figure !== 'capped')).toEqual([]);
});

test('every section is named', () => {
  expect(Object.keys(analyticsRecord.shape).filter((name) => !text.includes(name))).toEqual([]);
});
