/**
 * The standing of an account against its limits, in words: on the dashboard and in the
 * terminal.
 */
import { type Formats, plural } from './format.ts';
import type { AccountLimits } from './types.ts';

const RULES = { max_loss: 'the max loss limit', daily_loss: 'the daily loss limit' };

/** For every place that shows these figures: what those of all accounts lack. */
export function basisInWords(all: readonly AccountLimits[]): string {
  const bases = all.flatMap(({ basis }) => basis ?? []);
  const [fullest = ''] = bases.sort((a, b) => b.length - a.length);
  return fullest === '' ? '' : `By ${fullest}.`;
}

/** Why there are no figures; undefined if there are. */
export function whyNoLimits({ withheld, reason }: AccountLimits): string | undefined {
  if (withheld) return 'this key shows trades since a later day than the limits';
  return reason ?? undefined;
}

/** What is left in all, and today. A key may hide both. */
export function bufferInWords(limits: AccountLimits, format: Formats): string[] {
  const { balance = null, floor = null, room, day } = limits;
  if (balance === null || floor === null || !day) return [];

  const money = moneyOf(limits, format);
  return [
    room === null
      ? `at most ${money(balance - floor)} buffer: trades without MFE`
      : `${money(room)} buffer`,
    day.room === null ? [] : `${money(day.room)} left today`,
  ].flat();
}

/**
 * The two amounts between which the buffer is, and the end of the day. A key may hide
 * them.
 */
export function balanceInWords(limits: AccountLimits, format: Formats): string[] {
  const { balance, floor, floor_high = null, room, day } = limits;
  if (balance === undefined || !day) return [];

  const money = moneyOf(limits, format);
  // Of an intraday limit, closes give the lowest and open profits the highest.
  const isBetween = floor_high !== null && floor_high !== floor;
  const highest = isBetween ? ` to ${money(floor_high)}` : '';
  const higher = room === null ? ' or higher' : highest;
  return [
    `balance ${money(balance)}, max loss limit ${money(floor)}${higher}`,
    day.room === null ? [] : `the day ends ${format.shortInstant(day.ends_at)}`,
  ].flat();
}

function moneyOf({ currency }: AccountLimits, format: Formats) {
  return (amount: number | null | undefined) =>
    format.money(amount, currency ?? undefined);
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
    days?.needed == null ? [] : daysInWords(days.counted, days.needed),
    best_day?.limit == null || share === ''
      ? []
      : `best day ${share} (at most ${format.wholePercent(best_day.limit)})`,
  ].flat();
}

function daysInWords(counted: number, needed: number): string {
  return counted > needed
    ? `${counted} days, ${needed} needed`
    : `${counted} of ${plural(needed, 'day')}`;
}
