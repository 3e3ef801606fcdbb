/**
 * When options expire: at 16:00 in New York on their last day, whatever their exchange,
 * for no file states the time.
 */
import { parseLocal, toInstantText, ZoneClock } from '../time.ts';

const ZONE = 'America/New_York';
const CLOSE = 16;
const HOUR = 3_600_000;
const clock = new ZoneClock(ZONE);

/** @param expiration a date. @returns epoch milliseconds */
export function expiresAt(expiration: string): number {
  return parseLocal(`${expiration}T${CLOSE}:00:00`, ZONE) as number;
}

/** From 16:00 to midnight there is no clock change. */
export const REST_OF_DAY = (24 - CLOSE) * HOUR;

/** The latest date whose options have expired at an instant. */
export function lastExpired(now: number): string {
  return toInstantText(now + clock.offsetAt(now) - CLOSE * HOUR).slice(0, 10);
}
