/**
 * A fictional year of a sample trader, recorded in sample/*.jsonl in the form that import
 * reads.
 */
import { sampleTexts } from '../embedded.ts';
import { addDays, dayNumber, parseLocal, toInstantText, ZoneClock } from '../time.ts';

export const ZONE = 'America/New_York';

/** The day after the last record. */
const RECORDED = '2026-11-20';

type SampleRecord = Record<string, unknown> & { id: string };

const USER = {
  id: 'me',
  name: 'Sample trader',
  timezone: ZONE,
  base_currency: 'USD',
  starting_balance: 25_000,
  breakeven_tolerance: 5,
};

/**
 * The records of the year before a day, moved by whole weeks: weekdays and times of day
 * in New York stay.
 * @param today a day in New York; the last record is 1 to 7 days older
 * @returns the trader, and the records by resource
 */
export function sampleJournal(today: string): {
  user: typeof USER;
  records: Record<string, SampleRecord[]>;
} {
  const days = 7 * Math.floor((dayNumber(today) - dayNumber(RECORDED)) / 7);
  const clock = new ZoneClock(ZONE);
  const moved = (_name: string, value: unknown) =>
    typeof value === 'string' ? movedText(value, days, clock) : value;

  const recordsOf = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line, moved) as SampleRecord);

  const records = Object.entries(sampleTexts()).map(([resource, text]) => [
    resource,
    recordsOf(text),
  ]);
  return { user: USER, records: Object.fromEntries(records) };
}

/** Moves an instant, or the dates in a text and in symbols of options. */
function movedText(text: string, days: number, clock: ZoneClock): string {
  if (days === 0) return text;
  if (/^\d{4}-\d\d-\d\dT/.test(text)) {
    const instant = Date.parse(text);
    const date = clock.dateOf(instant);
    // Noon is after any change of the clocks.
    const noon = (day: string) => parseLocal(`${day}T12:00:00.000`, ZONE) as number;
    return toInstantText(noon(addDays(date, days)) + instant - noon(date));
  }

  return text
    .replace(/\d{4}-\d\d-\d\d/g, (date) => addDays(date, days))
    .replace(
      /\b([A-Z]+)(\d\d)(\d\d)(\d\d)(?=[CP]\d{8}\b)/g,
      (_, symbol, year, month, day) =>
        symbol + addDays(`20${year}-${month}-${day}`, days).slice(2).replaceAll('-', ''),
    );
}
