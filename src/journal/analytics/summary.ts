/** /v1/summary: the first response for an agent. Small for any journal. */
import type { Hidden } from '../../keys/lens.ts';
import type { Reader } from '../../sqlite/reader.ts';
import { ZoneClock } from '../../time.ts';
import type { User } from '../journal.ts';
import { Breakdown } from './breakdowns.ts';
import { type Selection, visitClosedTrades } from './closed-trades.ts';
import { DataQuality } from './data-quality.ts';
import { compareKeys, type Key } from './dimensions.ts';
import { excerpt } from './excerpt.ts';
import { rangeOf } from './interval.ts';
import { journalExtent } from './journal-extent.ts';
import { MistakeCost } from './mistake-cost.ts';
import { openTrades } from './open-trades.ts';
import { PerformanceAccumulator } from './performance.ts';
import { type Asked, periodFields, type Span, spanFields } from './period.ts';
import { recentRecords } from './recent-records.ts';
import type { CountedRow } from './rows.ts';
import { RuleAdherence } from './rule-adherence.ts';
import type { Summary } from './summary-record.ts';
import { fitted, type Size } from './summary-size.ts';
import { Tally } from './tally.ts';

/**
 * Computes the summary, with pauses in the passes over closed trades.
 * @param hides kinds of data that the key hides
 */
export function* summaryOf(
  reader: Reader,
  user: User,
  asked: Asked,
  unit: Selection['unit'],
  hides: readonly Hidden[],
): Generator<void, Summary> {
  const clock = new ZoneClock(user.timezone);
  const selection = { range: rangeOf(asked.span), filters: {}, unit };
  // The period of a summary has both bounds and a previous period.
  const period = periodFields(clock, asked) as Summary['period'];
  const before = asked.previous as Span;
  const { symbols, tags, mistakes, setups, ...figures } = yield* figuresOf(reader, user, selection, clock);
  const fixed = {
    period,
    performance: figures.performance,
    previous: yield* briefly(reader, user, { ...selection, range: rangeOf(before) }),
    previous_period: spanFields(before) as Summary['previous_period'],
    mistakes: figures.mistakeCost,
    rules: figures.rules,
    open: openTrades(reader, user, selection),
    journal: yield* journalExtent(reader, user),
  };
  const listsAt = recentRecords(reader, user, selection.range, period);
  const winners = symbols.filter(({ tally }) => tally.netPnl > 0);
  const losers = symbols.filter(({ tally }) => tally.netPnl < 0).reverse();
  const summaryAt = (size: Size) => ({
    ...fixed,
    top_symbols: {
      most_traded: rows('symbol', byFrequency(symbols), size),
      best: rows('symbol', winners, size),
      worst: rows('symbol', losers, size),
      distinct: symbols.length,
    },
    common_tags: { items: rows('tag', byFrequency(tags), size), distinct: tags.length },
    common_mistakes: { items: rows('mistake', byFrequency(mistakes), size), distinct: mistakes.length },
    common_setups: { items: rows('setup', byFrequency(setups), size), distinct: setups.length },
    data_quality: cutTo(figures.quality, size),
    ...listsAt(size),
  });
  return fitted(summaryAt, hides);
}

function* figuresOf(reader: Reader, user: User, selection: Selection, clock: ZoneClock) {
  const performance = new PerformanceAccumulator(user, clock);
  const [symbols, tags, mistakes, setups] = [
    new Breakdown('symbol', clock),
    new Breakdown('tag', clock),
    new Breakdown('mistake', clock),
    new Breakdown('setup', clock),
  ];
  const [mistakeCost, rules, quality] = [
    new MistakeCost(selection.unit),
    new RuleAdherence(selection.unit),
    new DataQuality(),
  ];
  const accumulators = [performance, symbols, tags, mistakes, setups, mistakeCost, rules, quality];
  yield* visitClosedTrades(reader, user, selection, accumulators, (currencies) => quality.addWithoutRate(currencies));
  const named = function* (breakdown: Breakdown) {
    return (yield* breakdown.rows()).filter(({ keys: [key] }) => key !== null);
  };
  return {
    performance: performance.result(),
    symbols: yield* named(symbols),
    tags: yield* named(tags),
    mistakes: yield* named(mistakes),
    setups: yield* named(setups),
    mistakeCost: mistakeCost.result(),
    rules: rules.result(),
    quality: quality.result(),
  };
}

/** The few figures of the previous period. */
function* briefly(reader: Reader, user: User, selection: Selection): Generator<void, Summary['previous']> {
  const tally = new Tally();
  yield* visitClosedTrades(reader, user, selection, [{ columns: [], add: (trade) => tally.add(trade) }]);
  return {
    trades: tally.trades,
    net_pnl: tally.netPnl,
    win_rate: tally.winRate,
    profit_factor: tally.profitFactor,
    expectancy: tally.expectancy,
  };
}

function rows(key: 'symbol' | 'tag' | 'mistake' | 'setup', of: readonly CountedRow[], { characters, items }: Size) {
  return of.slice(0, items).map(({ keys: [name], tally }) => ({
    [key]: excerpt(String(name), characters),
    trades: tally.trades,
    net_pnl: tally.netPnl,
    win_rate: tally.winRate,
  }));
}

function cutTo(quality: Summary['data_quality'], { items }: Size): Summary['data_quality'] {
  return { ...quality, currencies_left_out: quality.currencies_left_out.slice(0, items) };
}

function byFrequency(rows: readonly CountedRow[]): CountedRow[] {
  return [...rows].sort((a, b) => b.tally.trades - a.tally.trades || compareKeys(a.keys[0] as Key, b.keys[0] as Key));
}
