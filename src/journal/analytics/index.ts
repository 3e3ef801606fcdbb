/** /v1/analytics/summary: all figures of the closed trades of a period. */

import type * as z from 'zod';
import type { Hidden } from '../../keys/lens.ts';
import type { Reader } from '../../sqlite/reader.ts';
import { ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { namesOf } from '../labels.ts';
import { labelHint } from '../missing-labels.ts';
import { once } from '../once.ts';
import { markedId } from '../where.ts';
import { unsearched, type Words, writtenAbout } from '../written-about.ts';
import { balanceRecord, balanceRows } from './balance-rows.ts';
import {
  type Balances,
  balanceNow,
  balancesOf,
  type CashOf,
  cashOf,
} from './balances.ts';
import type { Accumulator, ClosedTrade } from './closed-trade.ts';
import { visitClosedTrades } from './closed-trades.ts';
import type { Selection } from './condition.ts';
import { type Clause, Condition } from './condition.ts';
import type { Dimension } from './dimensions.ts';
import {
  DataQuality,
  dataQualityRecord,
  MistakeCost,
  mistakesRecord,
  RuleAdherence,
  rulesRecord,
} from './discipline.ts';
import { Exits, exitsRecord } from './exits.ts';
import {
  Breakdown,
  breakdownDimensions,
  breakdownsRecord,
  Groups,
  groupsRecord,
  resultsOf,
} from './groups.ts';
import { Leaks, leaksRecord } from './leaks.ts';
import { limitsOf, limitsRecord } from './limits.ts';
import { missedRecord, missedTradesOf } from './missed.ts';
import { openRecord, openTrades } from './other-trades.ts';
import {
  type Performance,
  PerformanceAccumulator,
  performanceRecord,
} from './performance.ts';
import {
  type Asked,
  type Interval,
  periodFields,
  periodRecord,
  rangeOf,
  spanFields,
  spanRecord,
} from './period.ts';
import { Legs, unitFor } from './positions.ts';
import {
  RealisedDays,
  RealisedSteps,
  realisedRecord,
  realisedStepsRecord,
} from './realised.ts';
import { Simulation, simulationRecord } from './simulation.ts';
import { NO_DIFFERENCE, statedTotals } from './stated-totals.ts';
import { unmatchedCloses, unmatchedExits, unmatchedFigures } from './unmatched.ts';
import {
  type Exclusion,
  figuresOf,
  type Remaining,
  whatIfRecord,
  withoutExcluded,
} from './what-if.ts';

/** Slow or long sections: included only if named. */
export const LONG_SECTIONS = [
  'leaks',
  'simulation',
  'exits',
  'limits',
  'realised_steps',
  'balance',
] as const;

export const SECTIONS = [
  'performance',
  'daily',
  'realised',
  'breakdowns',
  'groups',
  'what_if',
  'mistakes',
  'rules',
  'data_quality',
  'previous',
  'open',
  'missed',
  ...LONG_SECTIONS,
] as const;
export type Section = (typeof SECTIONS)[number];

const sectionsRecord = f.record(
  () =>
    ({
      performance: performanceRecord.meta({
        description: 'Performance of the closed trades of the period',
      }),
      daily: f.list(
        f.item({
          date: f.date('The day'),
          trades: f.count('Trades closed on it'),
          net_pnl: f.money("Their net P&L, in the user's base currency"),
          total_r: f.orNull(f.ratio('Sum of their R; null if none has a risk')),
          r_sample: f.count('Those with a risk'),
          cumulative_net_pnl: f.money('Net P&L of the period up to the end of the day'),
          drawdown: f.money(
            "Fall from the highest day's end so far (at least 0), as a positive amount",
          ),
        }),
        'Days with trades, oldest first',
      ),
      realised: realisedRecord(),
      breakdowns: breakdownsRecord.meta({
        description:
          'The same trades by dimension: rows by net P&L, highest first; weekday, hour and month in their own order',
      }),
      groups: groupsRecord,
      what_if: whatIfRecord,
      mistakes: mistakesRecord.meta({
        description: 'Trades with mistakes and trades without',
      }),
      rules: rulesRecord.meta({
        description: 'Whether rules were followed, by the journal entries of the trades',
      }),
      data_quality: dataQualityRecord.meta({ description: 'Missing data' }),
      previous: performanceRecord.nullable().meta({
        description:
          'Performance of the previous period: the previous calendar period for a calendar period (of one that is not over, as many of its days), else one of equal length; null without a start',
      }),
      open: openRecord,
      missed: missedRecord.meta({
        description: 'Missed trades; never part of the performance',
      }),
      leaks: leaksRecord,
      simulation: simulationRecord,
      exits: exitsRecord,
      limits: f.list(
        limitsRecord,
        'How far each account with limits is from them, over its closed trades since their first day: of the parameters, only account counts',
      ),
      realised_steps: realisedStepsRecord(),
      balance: balanceRecord(),
    }) satisfies Record<Section, z.ZodType>,
);

/**
 * Only the requested sections; groups only with group_by, what_if only with exclude, best
 * or worst.
 */
export const analyticsRecord = f.record(() => ({
  ...sectionsRecord.partial().shape,
  period: periodRecord.meta({ description: 'The period, by closed_at' }),
  previous_period: spanRecord
    .nullable()
    .optional()
    .meta({ description: 'The period of previous; null without a start' }),
}));

export type Analytics = z.infer<typeof analyticsRecord>;

/** Names of the trader's that leaks tests when asked to. */
export const MOST_FIELDS_TESTED = 20;

/** A request for analytics. */
export interface Question {
  asked: Asked;
  /** Trade filters by name. */
  filters: Selection['filters'];
  unit: Selection['unit'];
  /** Whether the request names the unit: then no hint names the other one. */
  isUnitAsked?: boolean;
  sections: readonly Section[];
  /** Dimensions of groups: one or two if that section is requested. */
  groupBy: readonly Dimension[];
  /**
   * Conditions on trades: those that figures count, and those that they exclude. Null for
   * none.
   */
  where?: readonly Clause[] | null;
  exclude?: readonly Clause[] | null;
  /** Words that figures count the trades of. */
  written?: Words | null;
  /** Numbers of trades that figures exclude, with the highest and the lowest net P&L. */
  best?: number;
  worst?: number;
  /** Whether leaks tests fields that the trader named, too. */
  leaksFields?: boolean;
  /** Maximum rows of breakdowns and groups, before the row of the rest; null for all. */
  top: number | null;
  /** Epoch milliseconds, for options that have expired and the days of limits. */
  now: number;
  /** Kinds of data that the key hides. */
  hides?: readonly Hidden[];
  /** The first day that the key shows; null for all. */
  since?: string | null;
}

/**
 * The figures, and a hint about labels that no trade has, and about legs; undefined if
 * none.
 */
interface Answer {
  data: Analytics;
  hint: string | undefined;
}

/** A part of the data. */
interface Part<T> {
  /** What it counts in the pass over closed trades. */
  counts?: readonly Accumulator[];
  /** What it reads after that pass. @returns its result, which reads nothing more */
  read?: () => () => T;
  result?: () => T;
  /** A sentence about what it counted. */
  hint?: () => string | undefined;
}

/** In the order of the response; each is made only if the request wants it. */
type Parts = {
  [Name in Exclude<keyof Analytics, 'period'>]-?: () => Part<NonNullable<
    Analytics[Name]
  > | null>;
};

/**
 * Computes the sections: first all is read, in a pass over the closed trades of the
 * period and by what single sections need. While figures are computed, writers may have
 * the file.
 */
export function analyticsOf(reader: Reader, user: User, question: Question): Answer {
  const { asked, filters, unit, isUnitAsked = false, sections } = question;
  const clock = new ZoneClock(user.timezone);
  const where = question.where ? new Condition(question.where, clock) : null;
  const exclusion = exclusionOf(question, clock);
  const { written = null } = question;
  const found = written && writtenAbout(reader, user, unit, written);
  const all = {
    range: rangeOf(asked.span),
    filters,
    unit,
    where: among(found, unit, where),
  };
  const cash = cashOf(reader, user, filters);
  const balances = balancesOf(reader, user, all, cash);
  const remaining = exclusion && withoutExcluded(reader, user, all, exclusion, balances);
  const selection = remaining?.selection ?? all;
  const quality = new DataQuality();
  const parts = partsOf(reader, user, question, {
    clock,
    balances: balancesFor(balances, remaining),
    cash,
    where: all.where,
    selection,
    remaining,
    quality,
  });
  const wanted = (Object.keys(parts) as (keyof Parts)[])
    .filter((name) => sections.includes(name === 'previous_period' ? 'previous' : name))
    .map((name) => [name, parts[name]()] as const);
  const accumulators = [...new Set(wanted.flatMap(([, { counts = [] }]) => counts))];
  const legs = new Legs();
  const countsLegs =
    !isUnitAsked && unit === 'trade' && unitFor(reader, user) === 'position';
  // Not all sections come from these trades.
  const counted =
    accumulators.length === 0
      ? 0
      : visitClosedTrades(
          reader,
          user,
          selection,
          countsLegs ? [...accumulators, legs] : accumulators,
          (...excluded) => quality.addWithoutRate(...excluded),
        );
  // If a trade passed all filters, each of their labels exists.
  const doubtful = { filters: counted === 0 ? filters : {}, unit };
  const unmet = [...(where?.unmet() ?? []), ...(exclusion?.condition?.unmet() ?? [])];
  const hints = [
    found?.size === 0 ? NOTHING_WRITTEN : undefined,
    written ? unsearched(written) : undefined,
    labelHint(reader, user, doubtful, unmet),
    legs.hint(),
    ...wanted.map(([, { hint }]) => hint?.()),
  ];
  const results = wanted.map(
    ([name, { read, result }]) => [name, read?.() ?? result] as const,
  );
  reader.letGo();

  const data: Record<string, unknown> = { period: periodFields(clock, asked) };
  for (const [name, result] of results) data[name] = result?.();
  const hint = hints.filter((text) => text !== undefined && text !== '').join(' ');
  return { data: data as Analytics, hint: hint === '' ? undefined : hint };
}

const NOTHING_WRITTEN =
  'No notes or journal entries of trades have all words of text; try fewer words, or a part of one.';

const NO_ROWS_BY_TRADES =
  'No rows by trades; unit=position also counts labels and journal entries of trade groups.';

type Matching = NonNullable<Selection['where']> | null;

/** A condition that only the found trades meet; the condition itself without a search. */
function among(
  found: ReadonlySet<string> | null,
  unit: Selection['unit'],
  where: Condition | null,
): Matching {
  if (!found) return where;

  const nameOf = ({ id, groupId }: ClosedTrade) =>
    unit === 'position' && groupId !== null ? markedId(groupId) : id;

  return {
    columns: where?.columns ?? [],
    matches: (trade) => found.has(nameOf(trade)) && (where?.matches(trade) ?? true),
  };
}

/** Of the trades that figures count. */
interface Source {
  clock: ZoneClock;
  /** At the start of the period. */
  balances: Balances;
  cash: CashOf;
  /** The conditions of the request; the selection may have more. */
  where: Matching;
  selection: Selection;
  remaining: Remaining | null;
  quality: DataQuality;
}

function partsOf(
  reader: Reader,
  user: User,
  question: Question,
  { clock, balances, cash, where, selection, remaining, quality }: Source,
): Parts {
  const { asked, filters, unit, top, now, since = null } = question;
  const { previous } = asked;
  const performance = new PerformanceAccumulator(user, selection.range, balances);
  const ignored = [
    ...(['where', 'exclude', 'best', 'worst'] as const).filter((name) => question[name]),
    ...(question.written ? ['text'] : []),
  ];
  const open = once(() => openTrades(reader, user, selection, now, ignored));
  const closes = once(() =>
    ignored.length > 0 ? [] : unmatchedCloses(reader, user, selection),
  );
  const exits = () => unmatchedExits(user, closes());

  return {
    performance: () => {
      performance.addUnmatched(exits());
      return { counts: [performance], result: () => performance.result() };
    },
    daily: () => ({ counts: [performance], result: () => performance.days.rows() }),
    realised: () => {
      const realised = new RealisedDays(clock, selection.range);
      realised.addUnmatched(exits());
      return counting(realised, (days) => days.rows());
    },
    realised_steps: () => {
      const steps = new RealisedSteps(selection.range, null);
      steps.addUnmatched(exits());
      return counting(steps, (curve) => curve.rows());
    },
    breakdowns: () => {
      const counts = breakdownDimensions().map((name) => new Breakdown(name, clock));
      return { counts, result: () => resultsOf(counts, top) };
    },
    groups: () => countingGroups(reader, user, question, clock),
    mistakes: () => counting(new MistakeCost(unit), (cost) => cost.result()),
    rules: () => counting(new RuleAdherence(unit), (adherence) => adherence.result()),
    data_quality: () => ({
      counts: [quality],
      read: () => {
        const { expired } = open();
        const unmatched = unmatchedFigures(user, closes());
        const stated_totals =
          ignored.length > 0 ? NO_DIFFERENCE : statedTotals(reader, user, selection);
        return () =>
          quality.result(expired, { unmatched, stated_totals, cash: balances.lacks });
      },
    }),
    exits: () => counting(new Exits(), (exits) => exits.result()),
    leaks: () =>
      counting(leaksFor(reader, user, question, clock), (leaks) => leaks.result()),
    what_if: () => comparing(remaining, performance),
    simulation: () => simulating(() => balanceNow(reader, user, filters, cash)),
    limits: () => ({
      read: () => limitsOf(reader, user, { account: filters['account'], since, now }),
    }),
    previous: () =>
      reading(() => {
        const exclusion = exclusionOf(question, clock);
        const choice = { filters, unit, where };
        return (
          previous && performanceOf(reader, user, previous, choice, { exclusion, cash })
        );
      }),
    previous_period: () => ({ result: () => previous && spanFields(previous) }),
    balance: () => reading(() => balanceRows(reader, cash, selection.range)),
    open: () => reading(() => open().open),
    missed: () => reading(() => missedTradesOf(reader, user, selection, ignored)),
  };
}

/** Rows by group_by. */
function countingGroups(
  reader: Reader,
  user: User,
  { groupBy, unit, top }: Question,
  clock: ZoneClock,
): Part<ReturnType<Groups['result']>> {
  const groups = new Groups(groupBy, clock);
  const isOfLegs = () => unit === 'trade' && unitFor(reader, user) === 'position';

  return {
    counts: [groups],
    result: () => groups.result(top),
    hint: () =>
      groups.isEmpty && isOfLegs() ? NO_ROWS_BY_TRADES : groups.misspelt().join(' '),
  };
}

function leaksFor(
  reader: Reader,
  user: User,
  { hides = [], leaksFields }: Question,
  clock: ZoneClock,
): Leaks {
  const hidesNames = hides.includes('texts') || hides.includes('symbols');
  return new Leaks(clock, hidesNames, leaksFields ? fieldsTested(reader, user) : []);
}

/** @param without the performance of the remaining trades */
function comparing(
  remaining: Remaining | null,
  without: PerformanceAccumulator,
): Part<z.infer<typeof whatIfRecord> | null> {
  return {
    counts: [without],
    result: () =>
      remaining && {
        excluded: remaining.excluded,
        actual: figuresOf(remaining.actual.result()),
        without: figuresOf(without.result()),
      },
  };
}

function simulating(
  balance: () => ReturnType<typeof balanceNow>,
): Part<ReturnType<Simulation['result']>> {
  const simulation = new Simulation();
  return {
    counts: [simulation],
    read: () => {
      const now = balance();
      return () => simulation.result(now);
    },
  };
}

/** Names of the trader's that trades, groups or sessions have, the most used. */
function fieldsTested(reader: Reader, user: User): string[] {
  const names = namesOf(reader, user, ['sessions:read'], MOST_FIELDS_TESTED);
  return names.map(({ value }) => value);
}

/** A part that one accumulator counts. */
function counting<A extends Accumulator, T>(
  accumulator: A,
  result: (counted: A) => T,
): Part<T> {
  return { counts: [accumulator], result: () => result(accumulator) };
}

/** A part that only reads. */
function reading<T>(read: () => T): Part<T> {
  return {
    read: () => {
      const result = read();
      return () => result;
    },
  };
}

/** Null if the request excludes no trades. */
function exclusionOf(
  { exclude, best = 0, worst = 0 }: Question,
  clock: ZoneClock,
): Exclusion | null {
  if (!exclude && best + worst === 0) return null;
  return { condition: exclude ? new Condition(exclude, clock) : null, best, worst };
}

/** What excludes trades chooses trades. */
function balancesFor(balances: Balances, remaining: Remaining | null): Balances {
  return remaining ? { ...balances, isOfTrades: true } : balances;
}

/** Only the performance, of the closed trades of another period. */
function performanceOf(
  reader: Reader,
  user: User,
  interval: Interval,
  { filters, unit, where = null }: Omit<Selection, 'range'>,
  { exclusion, cash }: { exclusion: Exclusion | null; cash: CashOf },
): Performance {
  const all = { range: rangeOf(interval), filters, unit, where };
  const balances = balancesOf(reader, user, all, cash);
  const remaining = exclusion && withoutExcluded(reader, user, all, exclusion, balances);
  const performance = new PerformanceAccumulator(
    user,
    all.range,
    balancesFor(balances, remaining),
  );
  visitClosedTrades(reader, user, remaining?.selection ?? all, [performance]);
  return performance.result();
}
