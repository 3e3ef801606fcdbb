/** docs/analytics.md: its examples are correct, and every figure has one. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { analyticsRecord } from '../../../src/journal/analytics/index.ts';
import { performanceRecord } from '../../../src/journal/analytics/performance.ts';
import { type Row, World } from '../../helpers.ts';
import { eachDay, entry, filler, journal, listed, missed } from './fill.ts';
import type { Entry, Group, Missed, Person, Session, Trade } from './reference.ts';

interface Example {
  user?: Partial<Person>;
  trades?: Partial<Trade>[];
  /** Repetitions of these trades, in order. */
  repeat?: number;
  /** One trade a day. */
  daily?: boolean;
  journals?: Partial<Entry>[];
  missed_trades?: Partial<Missed>[];
  sessions?: Partial<Session>[];
  cash_flows?: Row[];
  request?: string;
  groups?: Partial<Group>[];
  [section: string]: unknown;
}

const PLAIN_GROUP: Group = {
  id: 'g',
  underlying: null,
  strategy: null,
  market: 'option',
  currency: 'USD',
  initial_risk: null,
  tags: [],
};

const PLAIN_SESSION: Session = {
  id: 's',
  date: '2026-11-16',
  started_at: null,
  mood: null,
  energy: null,
  sleep_hours: null,
};

const text = readFileSync(new URL('../../../docs/analytics.md', import.meta.url), 'utf8');

const EXAMPLES = [...text.matchAll(/^```json\n(.*?)^```/gms)].map(([all, json]) => {
  const line = text.slice(0, text.indexOf(all)).split('\n').length;
  return [line, JSON.parse(json as string) as Example] as const;
});

test.each(EXAMPLES)('the example in line %i is correct', async (_line, example) => {
  const {
    user,
    trades = [],
    repeat = 1,
    daily: isDaily = false,
    journals = [],
    missed_trades = [],
    sessions = [],
    cash_flows = [],
    request = '',
    ...rest
  } = example;
  // With group_by, "groups" is a section of the response, else the journal's trade groups.
  const { groups = [], ...others } = rest;
  const isAsked = request.includes('group_by');
  const gives = isAsked ? rest : others;
  const world = new World();
  filler(world)(
    journal(user, (isDaily ? eachDay : listed)(...Array(repeat).fill(trades).flat()), {
      entries: journals.map((more, i) => entry(`j${i}`, 't1', more)),
      groups: isAsked ? [] : groups.map((group) => ({ ...PLAIN_GROUP, ...group })),
      sessions: sessions.map((more, i) => ({ ...PLAIN_SESSION, ...more, id: `s${i}` })),
      missed: missed_trades.map((more, i) => missed(`m${i}`, more)),
    }),
  );
  for (const [i, more] of cash_flows.entries())
    world.insert('cash_flows', { id: `f${i}`, currency: 'USD', ...more });
  const { status, body } = await world.ask(`/v1/analytics/summary?${request}`, {
    key: world.key(),
  });
  expect(status).toBe(200);
  expect(Object.keys(gives)).not.toEqual([]);
  expect(body.data).toMatchObject(gives);
});

const figuresOf = (section: keyof typeof analyticsRecord.shape) => {
  const record = analyticsRecord.shape[section];
  return Object.keys(
    (record instanceof z.ZodOptional ? record.unwrap() : (record as any)).shape,
  );
};

test.each([
  ['performance', Object.keys(performanceRecord.shape)],
  ['breakdowns', figuresOf('breakdowns')],
  ['mistakes', figuresOf('mistakes')],
  ['rules', figuresOf('rules')],
  ['missed', figuresOf('missed')],
  ['open', figuresOf('open')],
  ['data_quality', figuresOf('data_quality')],
  ['period', figuresOf('period')],
  ['leaks', figuresOf('leaks')],
  ['simulation', figuresOf('simulation')],
  ['exits', figuresOf('exits').filter((figure) => figure !== 'both')],
])('every figure of %s has an example', (section, figures) => {
  const shown = new Set(
    EXAMPLES.flatMap(([, example]) => Object.keys(example[section] ?? {})),
  );
  expect(figures.filter((figure) => !shown.has(figure) && figure !== 'capped')).toEqual(
    [],
  );
});

test('every section is named', () => {
  expect(
    Object.keys(analyticsRecord.shape).filter((name) => !text.includes(name)),
  ).toEqual([]);
});
