/** The two summaries of performance. */
import * as z from 'zod';
import {
  analyticsOf,
  analyticsRecord,
  type Section,
} from '../../journal/analytics/index.ts';
import { missedFigures, missedFiguresRecord } from '../../journal/analytics/missed.ts';
import { summaryOf, summaryRecord } from '../../journal/analytics/summary.ts';
import { unwrapped } from '../../journal/hidden-fields.ts';
import { once } from '../../journal/once.ts';
import { missedTrades } from '../../journal/resources/missed-trades.ts';
import {
  GROUP_SIDES,
  positionFilters,
  positions,
} from '../../journal/resources/positions.ts';
import { tradeFilters, trades } from '../../journal/resources/trades.ts';
import { MAX_RESPONSE_BYTES, responseTooLarge } from '../../journal/response-size.ts';
import {
  analyticsPeriod,
  best,
  cappedPeriod,
  days,
  exclude,
  groupBy,
  groupMissedBy,
  lastDay,
  leaks,
  missedGroupsOf,
  partsOf,
  period,
  sections,
  summaryPeriod,
  top,
  unit,
  unitOf,
  where,
  worst,
} from '../figure-parameters.ts';
import { filterParameters, text } from '../list-parameters.ts';
import { bounds, type Query } from '../parameter.ts';
import { invalidParameter } from '../problem.ts';
import type { Endpoint } from '../route.ts';
import { Table } from '../table.ts';

/** The declaration of a section's rows; undefined if it is no table. */
function rowIn(name: string): z.ZodObject | undefined {
  const section = analyticsRecord.shape[name as Section];
  const list = section && unwrapped(section);
  return list instanceof z.ZodArray && list.element instanceof z.ZodObject
    ? list.element
    : undefined;
}

/**
 * The only section that a request asks for, if its rows are a table: by name, or with
 * group_by alone.
 */
function tableOf({ sections, group_by }: Query): Section | undefined {
  const names = new Set(sections?.split(',').filter((name) => name !== 'period'));
  if (group_by !== undefined) names.add('groups');
  const [name = '', ...more] = names;
  return more.length === 0 && rowIn(name) ? (name as Section) : undefined;
}

/** Those of trades; a position may have other sides. */
const FILTERS = once(() => [
  ...filterParameters({ filters: tradeFilters, record: trades.record }).filter(
    ({ name }) => name !== 'side',
  ),
  ...filterParameters({
    filters: { side: positionFilters.side },
    record: positions.record,
  }),
]);

/** @throws Problem for a side that only positions have */
function filtersOf(query: Query): Query {
  const { side } = query;
  if (unitOf(query) === 'trade' && GROUP_SIDES.some((name) => name === side))
    throw invalidParameter(
      'side',
      `${side} is the side of a position; add unit=position`,
    );

  return Object.fromEntries(
    Object.entries(query).filter(([name]) => Object.hasOwn(tradeFilters, name)),
  );
}

// What a hint is about, for its description.

const UNKNOWN_LABELS =
  'Labels in filters and conditions that no trade has, with the nearest ones.';
const UNFOUND_TEXT = 'Searches by text without a match, or without journal entries.';
const SIMILAR_LABELS = 'Labels of groups that differ by one letter.';
const COUNTED_LEGS = 'Legs that count as trades because unit is absent.';

function hintOn(...subjects: readonly string[]): string {
  return [...subjects, 'Absent if none.'].join(' ');
}

/** In full. */
export const analyticsSummary: Endpoint = {
  operationId: 'getAnalyticsSummary',
  tag: 'analytics',
  summary: 'Performance in full',
  description:
    "All figures of the closed trades of a period, by closed_at: performance, days, breakdowns, the previous period, mistakes, rules; and realised P&L exit by exit, of open trades too. Money is in the user's base currency; a trade in another currency without an fx_rate is excluded and counted in data_quality. Undefined figures are null.",
  parameters: once(() => [
    period,
    ...bounds('closed_at'),
    unit,
    sections,
    groupBy,
    leaks,
    where,
    exclude,
    text,
    best,
    worst,
    top,
    ...FILTERS(),
  ]),
  gives: {
    data: analyticsRecord,
    name: 'Analytics',
    hint: hintOn(UNKNOWN_LABELS, UNFOUND_TEXT, SIMILAR_LABELS, COUNTED_LEGS),
  },
  isTable: (query) => tableOf(query) !== undefined,
  isLong: () => true,
  handle({ reader, user, key, clock, query, now, form, validUntil }) {
    const asked = analyticsPeriod(query, clock, now);
    const filters = filtersOf(query);
    const name = form && tableOf(query);
    const parts = partsOf(name === undefined ? query : { ...query, sections: name });
    const { hides = [], since = null } = key.lens ?? {};
    const counted = { unit: unitOf(query), isUnitAsked: query['unit'] !== undefined };
    const written =
      query['text'] === undefined ? null : { text: query['text'], scopes: key.scopes };
    const question = { asked, filters, ...counted, ...parts, written, now, hides, since };
    const { data, hint } = analyticsOf(reader, user, question);
    for (const { day } of data.limits ?? []) if (day) validUntil(Date.parse(day.ends_at));
    if (form && form !== 'image' && name !== undefined) {
      const isWanted = (column: string) =>
        !column.startsWith('by.') || parts.groupBy.some((by) => column === `by.${by}`);
      const names = parts.groupBy.filter((by) => by.startsWith('field:'));
      const table = new Table(form, rowIn(name) as z.ZodObject, hides, isWanted, {
        of: 'by',
        names,
      });
      const isWhole = (data[name] as object[]).map((row) => table.add(row));
      if (!isWhole.every(Boolean))
        throw responseTooLarge(
          `the table ${name}`,
          MAX_RESPONSE_BYTES,
          'add filters or top',
        );
      return table;
    }

    return hint === undefined ? { data } : { data, hint };
  },
};

/** Apart from those of trades taken. */
export const missedSummary: Endpoint = {
  operationId: 'getMissedTradesSummary',
  tag: missedTrades.path,
  summary: 'Figures of missed trades',
  description:
    'Number and hypothetical results of missed trades, by missed_at. Figures of trades taken exclude them.',
  parameters: once(() => [
    period,
    ...bounds('missed_at'),
    groupMissedBy,
    ...filterParameters(missedTrades),
  ]),
  gives: {
    data: missedFiguresRecord,
    name: 'MissedTradesSummary',
    hint: hintOn('Labels in filters that no missed trade has, with the nearest ones.'),
  },
  isLong: () => true,
  handle({ reader, user, clock, query, now }) {
    const asked = analyticsPeriod(query, clock, now);
    const filters = Object.fromEntries(
      Object.entries(query).filter(([name]) => Object.hasOwn(missedTrades.filters, name)),
    );
    const groupBy = missedGroupsOf(query);
    const { data, hint } = missedFigures(
      reader,
      user,
      { asked, filters, groupBy },
      clock,
    );
    return hint === '' ? { data } : { data, hint };
  },
};

const COMPACT_PARAMETERS = [cappedPeriod, days, lastDay, unit];

/** Compact. */
export const summary: Endpoint = {
  operationId: 'getSummary',
  tag: 'analytics',
  summary: 'Compact summary for agents',
  description:
    'First call of an agent: performance next to that of the previous period, symbols, setups, tags, mistakes, rules, and the latest notes of the period. Always under 8 KB.',
  parameters: () => COMPACT_PARAMETERS,
  isLong: () => true,
  gives: {
    data: summaryRecord,
    name: 'Summary',
    hint: hintOn(COUNTED_LEGS),
  },
  handle({ reader, user, key, clock, query, now }) {
    const asked = summaryPeriod(query, clock, now);
    const unit = query['unit'] === undefined ? undefined : unitOf(query);
    const { data, hint } = summaryOf(
      reader,
      user,
      asked,
      unit,
      key.lens?.hides ?? [],
      now,
    );
    return hint === undefined ? { data } : { data, hint };
  },
};
