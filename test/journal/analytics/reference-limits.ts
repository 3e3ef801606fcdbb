/** Limits a second time: in whole cents, each exit anew from all exits before it, days by Temporal. */
import { Temporal } from 'temporal-polyfill';
import type { AccountRules } from '../../../src/journal/analytics/account-rules.ts';

export interface Closed {
  executed_at: string;
  closed_at: string;
  gross_pnl: number;
  fees: number;
  mae: number | null;
  mfe: number | null;
  /** Result before the last exit, at an earlier one; null: its fills are unknown; absent: it has one exit. */
  first?: { at: string; gross: number } | null;
}

interface Close {
  at: string;
  day: string;
  net: number;
}

const cents = (amount: number) => Math.round(amount * 100);
const sum = (amounts: number[]) => amounts.reduce((total, one) => total + one, 0);
const netOf = (closes: Close[]) => sum(closes.map(({ net }) => net));

/** The date on which the day of an instant ends; of one that ends at midnight, the date before. */
function dayOf(
  at: string,
  { day_ends, timezone }: AccountRules,
  userZone: string,
): string {
  const local = Temporal.Instant.from(at).toZonedDateTimeISO(timezone ?? userZone);
  const isAfter =
    day_ends !== null &&
    day_ends !== '00:00' &&
    local.toPlainTime().toString().slice(0, 5) >= day_ends;
  return local
    .toPlainDate()
    .add({ days: isAfter ? 1 : 0 })
    .toString();
}

function endOf(
  day: string,
  { day_ends, timezone }: AccountRules,
  userZone: string,
): string {
  const isMidnight = day_ends === null || day_ends === '00:00';
  const date = Temporal.PlainDate.from(day).add({ days: isMidnight ? 1 : 0 });
  const end = date
    .toPlainDateTime(day_ends ?? '00:00')
    .toZonedDateTime(timezone ?? userZone);
  return new Date(end.epochMilliseconds).toISOString();
}

/** In cents. @param closes those that count @param day those of days before it have ended */
function floorAfter(rules: AccountRules, closes: Close[], day: string): number {
  const start = cents(rules.balance);
  const followed = closes.map((_, i) => start + netOf(closes.slice(0, i + 1)));
  const ended = closes.map(({ day: own }, i) => own < day && own !== closes[i + 1]?.day);
  const highs = {
    static: [],
    eod: followed.filter((_, i) => ended[i]),
    intraday: followed,
  }[rules.trailing];
  const floor = Math.max(start, ...highs) - cents(rules.max_loss);
  return rules.locks_at === null ? floor : Math.min(floor, cents(rules.locks_at));
}

const ofDay = (closes: Close[], day: string) => closes.filter((own) => own.day === day);

function ruleAt(rules: AccountRules, balance: number, floor: number, dayNet: number) {
  if (balance <= floor) return 'max_loss';
  return rules.daily_loss !== null && dayNet <= -cents(rules.daily_loss)
    ? 'daily_loss'
    : null;
}

/** What holds right after the last of some closes. */
function judged(rules: AccountRules, closes: Close[]) {
  const { day } = closes.at(-1)!;
  const profit = netOf(closes);
  const balance = cents(rules.balance) + profit;
  const nets = [...new Set(closes.map((own) => own.day))].map((own) =>
    netOf(ofDay(closes, own)),
  );
  const counted = nets.filter(
    (net) => rules.min_day_profit === null || net >= cents(rules.min_day_profit),
  ).length;
  const isReached =
    rules.target !== null &&
    profit >= cents(rules.target) &&
    counted >= (rules.min_days ?? 0) &&
    (rules.best_day === null || Math.max(...nets) <= rules.best_day * profit + 1e-6);
  const rule = ruleAt(
    rules,
    balance,
    floorAfter(rules, closes, day),
    netOf(ofDay(closes, day)),
  );
  return { rule, counted, isReached };
}

export function limits(
  rules: AccountRules,
  all: Closed[],
  userZone: string,
  now: string,
) {
  const known = all.map((trade) => ({
    ...trade,
    day: dayOf(trade.closed_at, rules, userZone),
  }));
  const trades = known
    .filter(({ day }) => rules.since === null || day >= rules.since)
    .sort((a, b) => (a.closed_at < b.closed_at ? -1 : 1));
  const exits = trades.flatMap(({ closed_at, gross_pnl, fees, first }) => {
    const all = cents(gross_pnl) - cents(fees);
    const early = first ? cents(first.gross) : 0;
    return [
      ...(first ? [{ at: first.at, net: early }] : []),
      { at: closed_at, net: all - early },
    ]
      .map((exit) => ({ ...exit, day: dayOf(exit.at, rules, userZone) }))
      .filter(({ day }) => rules.since === null || day >= rules.since);
  });
  const times = [...new Set(exits.map(({ at }) => at))].sort();
  const closes = times.map((at): Close => {
    const own = exits.filter((exit) => exit.at === at);
    return { at, day: own[0]!.day, net: sum(own.map(({ net }) => net)) };
  });
  const unknown = trades.filter(({ first }) => first === null).length;
  const start = cents(rules.balance);
  let breached = null;
  let may = null;
  let passed = null;
  let peak = start;
  for (const [i, { at, day }] of closes.entries()) {
    const earlier = closes.slice(0, i);
    const open = trades.filter(
      (own) => own.closed_at >= at && (own.executed_at < at || own.closed_at === at),
    );
    const before = start + netOf(earlier);
    const adverse = sum(open.map(({ mae }) => Math.abs(cents(mae ?? 0))));
    peak = Math.max(
      peak,
      before + sum(open.map(({ mfe }) => cents(mfe ?? 0))),
      before + closes[i]!.net,
    );
    const dayBefore = netOf(ofDay(earlier, day));
    const maybe = ruleAt(
      rules,
      before - adverse,
      floorAfter(rules, earlier, day),
      dayBefore - adverse,
    );
    const { rule, isReached } = judged(rules, closes.slice(0, i + 1));
    if (rule && !breached) breached = { at, rule };
    if (maybe && !breached && !may) may = { at, rule: maybe };
    if (isReached && !breached && !passed) passed = at;
  }
  const today = [dayOf(now, rules, userZone), ...closes.map(({ day }) => day)]
    .sort()
    .at(-1)!;
  const balance = start + netOf(closes);
  const floor = floorAfter(rules, closes, today);
  const isIntraday = rules.trailing === 'intraday';
  const high = trades.some(({ mfe }) => mfe === null)
    ? null
    : peak - cents(rules.max_loss);
  const floorHigh =
    high === null || rules.locks_at === null
      ? high
      : Math.min(high, cents(rules.locks_at));
  const worst = isIntraday ? floorHigh : floor;
  const room = worst === null ? null : balance - worst;
  const dayNet = netOf(ofDay(closes, today));
  const days = [...new Set(closes.map(({ day }) => day))];
  const nets = days.map((day) => netOf(ofDay(closes, day)));
  const best = nets.length === 0 ? null : Math.max(...nets);
  const profit = balance - start;
  const money = (amount: number | null) => (amount === null ? null : amount / 100);
  return {
    unknown,
    figures: {
      ...{
        balance: money(balance),
        floor: money(floor),
        room: money(room),
        max_loss: rules.max_loss,
      },
      ...{
        floor_low: isIntraday ? money(floor) : null,
        floor_high: isIntraday ? money(floorHigh) : null,
      },
      day: {
        ends_at: endOf(today, rules, userZone),
        net_pnl: money(dayNet),
        limit: rules.daily_loss,
        room:
          rules.daily_loss === null || room === null
            ? null
            : money(Math.min(cents(rules.daily_loss) + dayNet, room)),
      },
      target: rules.target && {
        amount: rules.target,
        left: money(Math.max(0, cents(rules.target) - profit)),
      },
      best_day: {
        date: best === null ? null : days[nets.indexOf(best)],
        net_pnl: money(best),
        share: best === null || profit <= 0 ? null : expectRatio(best / profit),
        limit: rules.best_day,
      },
      days: {
        counted: closes.length === 0 ? 0 : judged(rules, closes).counted,
        needed: rules.min_days,
      },
      ...{
        breached,
        may_have_breached: may,
        passed_at: passed,
        certainty: isIntraday || unknown > 0 ? 'bounds' : 'exact',
      },
      without_excursion: trades.filter(({ mae }) => mae === null).length,
    },
  };
}

const expectRatio = (value: number) => Math.round(value * 1e6) / 1e6;
