/** A reading with its times as instants, as an import into an empty journal makes them. */
import type { Reading } from '../../src/import/fills/reading.ts';
import { settleTimes } from '../../src/import/fills/written-times.ts';

export function settled<T extends Reading>(reading: T, userZone = 'UTC'): T {
  settleTimes(reading, {
    userZone,
    areTrades: true,
    account: null,
    earlierZone: () => undefined,
  });
  return reading;
}
