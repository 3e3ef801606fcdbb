/**
 * Figures of the days of records, such as sessions: the analytics computes them, and is loaded only
 * where they are asked for.
 */
type WithMetrics = typeof import('./list.ts')['withMetrics'];

let loaded: WithMetrics | undefined;

export async function loadMetrics(): Promise<void> {
  ({ withMetrics: loaded } = await import('./list.ts'));
}

/** @throws Error if nobody called loadMetrics */
export const withMetrics: WithMetrics = (...given) => {
  if (!loaded) throw new Error("the figures of days aren't loaded");
  return loaded(...given);
};
