/** /v1/analytics/summary: all figures of the closed trades of a period. */
import type * as z from 'zod';
import type { Hidden } from '../../keys/lens.ts';
import type { Reader } from '../../sqlite/reader.ts';
import { ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import type { Accumulator } from './closed-trade.ts';
import { balanceBefore, type Selection, visitClosedTrades } from './closed-trades.ts';
import { type Clause, Condition } from './condition.ts';
import type { Dimension } from './dimensions.ts';
import { Exits, exitsRecord } from './exits.ts';
import { Breakdown, breakdownDimensions, breakdownsRecord, Groups, groupsRecord } from './groups.ts';
import { labelHint } from './label-hints.ts';
import { Leaks, leaksRecord } from './leaks.ts';
import { limitsOf, limitsRecord } from './limits.ts';
import { missedRecord, missedTradesOf } from './missed-trades.ts';
import { MistakeCost, mistakesRecord, RuleAdherence, rulesRecord } from './mistake-cost.ts';
import { DataQuality, dataQualityRecord, openRecord, openTrades } from './open-trades.ts';
import { PerformanceAccumulator } from './performance.ts';
import { type Performance, performanceRecord } from './performance-record.ts';
import { type Asked, periodFields, periodRecord, spanFields, spanRecord } from './period.ts';
import { Simulation, simulationRecord } from './simulation.ts';
import { type Interval, rangeOf } from './statistics.ts';
import { type Exclusion, figuresOf, type Remaining, whatIfRecord, withoutExcluded } from './what-if.ts';

export const SECTIONS = [
  'performance',
  'daily',
  'breakdowns',
  'groups',
  'what_if',
  'mistakes',
  'rules',
  'data_quality',
  'previous',
  'open',
  'missed',
  'leaks',
  'simulation',
  'exits',
  'limits',
] as const;
export type Section = (typeof SECTIONS)[number];

const sectionsRecord = f.record(
  () =>
    ({
      performance: performanceRecord.meta({ description: 'Performance of the closed trades of the period' }),
      daily: f.list(
        f.item({
          date: f.date('The day'),
          trades: f.count('Trades closed on it'),
          net_pnl: f.money("Their net P&L, in the user's base currency"),
          total_r: f.orNull(f.ratio('Sum of their R; null if none has a risk')),
          r_sample: f.count('Those with a risk'),
          cumulative_net_pnl: f.money('Net P&L of the period up to the end of the day'),
          drawdown: f.money("Fall from the highest day's end so far (at least 0), as a positive amount"),
        }),
        'Days with trades, oldest first',
      ),
      breakdowns: breakdownsRecord.meta({
        description:
          'The same trades by dimension: rows by net P&L, highest first; weekday, hour and month in their own order',
      }),
      groups: groupsRecord,
      what_if: whatIfRecord,
      mistakes: mistakesRecord.meta({ description: 'Trades with mistakes and trades without' }),
      rules: rulesRecord.meta({ description: 'Whether rules were followed, by the journal entries of the trades' }),
      data_quality: dataQualityRecord.meta({ description: 'Missing data' }),
      previous: performanceRecord.nullable().meta({
        description:
          'Performance of the previous period: the previous calendar period for a calendar period (of one that is not over, as many of its days), else one of equal length; null without a start',
      }),
      open: openRecord,
      missed: missedRecord.meta({ description: 'Missed trades; never part of the performance' }),
      leaks: leaksRecord,
      simulation: simulationRecord,
      exits: exitsRecord,
      limits: f.list(
        limitsRecord,
        'How far each account with limits is from them, over its closed trades since their first day: of the parameters, only account counts',
      ),
    }) satisfies Record<Section, z.ZodType>,
);

/** Only the requested sections; groups only with group_by, what_if only with exclude, best or worst. */
export const analyticsRecord = f.record(() => ({
  ...sectionsRecord.partial().shape,
  period: periodRecord.meta({ description: 'The period, by closed_at' }),
  previous_period: spanRecord
    .nullable()
    .optional()
    .meta({ description: 'The period of previous; null without a start' }),
}));

export type Analytics = z.infer<typeof analyticsRecord>;
/** Slow or long sections: included only if named. */
export const LONG_SECTIONS: readonly Section[] = ['leaks', 'simulation', 'exits', 'limits'];

/** A request for analytics. */
export interface Question {
  asked: Asked;
  /** Trade filters by name. */
  filters: Selection['filters'];
  unit: Selection['unit'];
  sections: readonly Section[];
  /** Dimensions of groups: one or two if that section is requested. */
  groupBy: readonly Dimension[];
  /** Conditions on trades: those that figures count, and those that they exclude. Null for none. */
  where?: readonly Clause[] | null;
  exclude?: readonly Clause[] | null;
  /** Numbers of trades that figures exclude, with the highest and the lowest net P&L. */
  best?: number;
  worst?: number;
  /** Maximum rows of breakdowns and groups, before the row of the rest; null for all. */
  top: number | null;
  /** Epoch milliseconds, for options that have expired and the days of limits. */
  now: number;
  /** Kinds of data that the key hides. */
  hides?: readonly Hidden[];
  /** The first day that the key shows; null for all. */
  since?: string | null;
}

/** The figures, and a hint about labels that no trade has; undefined if none. */
interface Answer {
  data: Analytics;
  hint: string | undefined;
}

/** Computes the sections in a pass over the closed trades of the period, with pauses. */
export function* analyticsOf(reader: Reader, user: User, question: Question): Generator<void, Answer> {
  const { asked, filters, unit, sections } = question;
  const clock = new ZoneClock(user.timezone);
  const where = question.where ? new Condition(question.where, clock) : null;
  const exclusion = exclusionOf(question, clock);
  const all = { range: rangeOf(asked.span), filters, unit, where };
  const balance = yield* balanceBefore(reader, user, asked.span.from);
  const remaining = exclusion && (yield* withoutExcluded(reader, user, all, exclusion, balance));
  const selection = remaining?.selection ?? all;
  const figures = new Figures(user, clock, question, balance, remaining !== null);
  // Not all sections come from these trades.
  const counted =
    figures.accumulators.length === 0
      ? 0
      : yield* visitClosedTrades(reader, user, selection, figures.accumulators, (trade, currencies) =>
          figures.quality.addWithoutRate(trade, currencies),
        );
  const { previous } = asked;
  const ignored = (['where', 'exclude', 'best', 'worst'] as const).filter((name) => question[name]);
  const { open, expired } =
    sections.includes('open') || sections.includes('data_quality')
      ? openTrades(reader, user, selection, question.now, ignored)
      : { open: undefined, expired: 0 };
  const data = {
    period: periodFields(clock, asked),
    ...(yield* figures.result(expired)),
    ...(remaining && { what_if: whatIfOf(remaining, figures.performance.result()) }),
    ...(sections.includes('simulation') && {
      simulation: yield* figures.simulation.result(yield* balanceBefore(reader, user, Infinity)),
    }),
    ...(sections.includes('limits') && {
      limits: yield* limitsOf(reader, user, {
        account: filters['account'],
        since: question.since ?? null,
        now: question.now,
      }),
    }),
    ...(sections.includes('previous') && {
      previous:
        previous &&
        (yield* performanceOf(reader, user, previous, { filters, unit, where }, exclusionOf(question, clock))),
      previous_period: previous && spanFields(previous),
    }),
    ...(sections.includes('open') && { open }),
    ...(sections.includes('missed') && { missed: missedTradesOf(reader, user, selection, ignored) }),
  };
  // If a trade passed all filters, each of their labels exists.
  const doubtful = { filters: counted === 0 ? filters : {}, unit };
  const unmet = [...(where?.unmet() ?? []), ...(exclusion?.condition?.unmet() ?? [])];
  return { data, hint: yield* labelHint(reader, user, doubtful, unmet) };
}

/** Null if the request excludes no trades. */
function exclusionOf({ exclude, best = 0, worst = 0 }: Question, clock: ZoneClock): Exclusion | null {
  if (!exclude && best + worst === 0) return null;
  return { condition: exclude ? new Condition(exclude, clock) : null, best, worst };
}

/** Sections computed in one pass over the closed trades. */
class Figures {
  readonly quality = new DataQuality();
  readonly simulation = new Simulation();
  /** Accumulators of the requested sections. */
  readonly accumulators: readonly Accumulator[];
  readonly #sections: readonly Section[];
  readonly #top: number | null;
  readonly performance: PerformanceAccumulator;
  readonly #breakdowns: (readonly [name: Dimension, rows: Breakdown])[];
  readonly #groups: Groups;
  readonly #mistakes: MistakeCost;
  readonly #rules: RuleAdherence;
  readonly #exits = new Exits();
  readonly #leaks: Leaks;

  constructor(user: User, clock: ZoneClock, question: Question, balance: number | null, isWhatIf: boolean) {
    const { unit, sections, groupBy, top, hides = [] } = question;
    this.#sections = sections;
    this.#leaks = new Leaks(clock, hides.includes('texts') || hides.includes('symbols'));
    this.#top = top;
    this.performance = new PerformanceAccumulator(user, balance);
    this.#breakdowns = breakdownDimensions().map((name) => [name, new Breakdown(name, clock)]);
    this.#groups = new Groups(groupBy, clock);
    this.#mistakes = new MistakeCost(unit);
    this.#rules = new RuleAdherence(unit);
    this.accumulators = [
      ...(this.#wants('performance') || this.#wants('daily') || isWhatIf ? [this.performance] : []),
      ...(this.#wants('breakdowns') ? this.#breakdowns.map(([, rows]) => rows) : []),
      ...(this.#wants('groups') ? [this.#groups] : []),
      ...(this.#wants('mistakes') ? [this.#mistakes] : []),
      ...(this.#wants('rules') ? [this.#rules] : []),
      ...(this.#wants('data_quality') ? [this.quality] : []),
      ...(this.#wants('simulation') ? [this.simulation] : []),
      ...(this.#wants('exits') ? [this.#exits] : []),
      ...(this.#wants('leaks') ? [this.#leaks] : []),
    ];
  }

  *result(expired: number): Generator<void, Partial<Analytics>> {
    return {
      ...(this.#wants('performance') && { performance: this.performance.result() }),
      ...(this.#wants('daily') && { daily: this.performance.days.rows() }),
      ...(this.#wants('breakdowns') && { breakdowns: yield* this.#breakdownRows() }),
      ...(this.#wants('groups') && { groups: yield* this.#groups.result(this.#top) }),
      ...(this.#wants('mistakes') && { mistakes: this.#mistakes.result() }),
      ...(this.#wants('rules') && { rules: this.#rules.result() }),
      ...(this.#wants('data_quality') && { data_quality: this.quality.result(expired) }),
      ...(this.#wants('exits') && { exits: this.#exits.result() }),
      ...(this.#wants('leaks') && { leaks: yield* this.#leaks.result() }),
    };
  }

  *#breakdownRows() {
    const rows = [];
    for (const [name, breakdown] of this.#breakdowns) rows.push([name, yield* breakdown.result(this.#top)]);
    return Object.fromEntries(rows) as Analytics['breakdowns'];
  }

  #wants(section: Section): boolean {
    return this.#sections.includes(section);
  }
}

function whatIfOf({ excluded, actual }: Remaining, without: Performance): Analytics['what_if'] {
  return { excluded, actual: figuresOf(actual.result()), without: figuresOf(without) };
}

/** Only the performance, of the closed trades of another period. */
export function* performanceOf(
  reader: Reader,
  user: User,
  interval: Interval,
  { filters, unit, where = null }: Omit<Selection, 'range'>,
  exclusion: Exclusion | null = null,
): Generator<void, Performance> {
  const all = { range: rangeOf(interval), filters, unit, where };
  const balance = yield* balanceBefore(reader, user, interval.from);
  const remaining = exclusion && (yield* withoutExcluded(reader, user, all, exclusion, balance));
  const performance = new PerformanceAccumulator(user, balance);
  yield* visitClosedTrades(reader, user, remaining?.selection ?? all, [performance]);
  return performance.result();
}
