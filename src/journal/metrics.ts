/** Figures of the days of records, such as sessions, which the analytics computes. */
import { OnDemand } from './once.ts';

export const dayFigures = new OnDemand(
  'the computation of day figures',
  async () => (await import('./list.ts')).withMetrics,
);
