/**
 * The standing of an account against its limits, in words: on the dashboard and in the terminal.
 */
import { type Formats, plural } from './format.ts';
import type { AccountLimits } from './types.ts';

const RULES = { max_loss: 'the maximum loss', daily_loss: 'the daily loss' };

/** For every place that shows these figures. */
export const BASIS = 'By realised P&L, exit by exit; firms count open positions, too.';

/** Why there are no figures; undefined if there are. */
export function whyNoLimits({ withheld, reason }: AccountLimits): string | undefined {
  if (withheld) return 'this key shows trades since a later day than the limits';
  return reason ?? undefined;
}

/** Today's room and the room in all. A key may hide both. */
export function roomInWords(limits: AccountLimits, format: Formats): string[] {
  const { balance, floor, floor_high = null, room, day, currency } = limits;
  if (balance === undefined || !day) return [];

  const money = (amount: number | null | undefined) =>
    format.money(amount, currency ?? undefined);
  // Of an intraday floor, closes give the lowest and open profits the highest.
  const highest =
    floor_high === null || floor_high === floor ? '' : ` to ${money(floor_high)}`;
  const standing = `balance ${money(balance)}, floor ${money(floor)}${highest}`;

  return [
    day.room === null
      ? []
      : `${money(day.room)} left today, until ${format.shortInstant(day.ends_at)}`,
    room === null
      ? `room unknown: trades without MFE; ${standing}, by exits`
      : `${money(room)} left in all (${standing})`,
  ].flat();
}

/** What happened, and what is missing for the target. */
export function standingInWords(limits: AccountLimits, format: Formats): string[] {
  const { breached, may_have_breached: may, passed_at, target, days, best_day } = limits;
  const at = (instant: string) => format.instant(instant);
  const share =
    best_day?.share == null ? '' : `${format.wholePercent(best_day.share)} of the profit`;

  return [
    breached ? `breached ${RULES[breached.rule]} on ${at(breached.at)}` : [],
    passed_at ? `passed on ${at(passed_at)}` : [],
    may ? `may have breached ${RULES[may.rule]} before ${at(may.at)}` : [],
    target?.left === undefined
      ? []
      : `${format.money(target.left, limits.currency ?? undefined)} left to the target`,
    days?.needed == null ? [] : `${days.counted} of ${plural(days.needed, 'day')}`,
    best_day?.limit == null || share === ''
      ? []
      : `best day ${share} (at most ${format.wholePercent(best_day.limit)})`,
  ].flat();
}
