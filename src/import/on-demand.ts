/**
 * What an import needs for some files only, loaded before its steps, which are synchronous: readers
 * of formats, and the figures that records of days may state.
 */
import { loadMetrics } from '../journal/metrics.ts';
import type { Job } from './files/contents.ts';
import { loadAllReaders, loadReaders } from './formats/index.ts';

export async function loadFor(
  jobs: readonly Pick<Job, 'format' | 'resource'>[],
): Promise<void> {
  await loadReaders(jobs.map(({ format }) => format.name));
  if (jobs.some(({ resource }) => resource.metrics !== undefined)) await loadMetrics();
}

/** For files that aren't known yet, or that were imported before. */
export async function loadAll(): Promise<void> {
  await loadAllReaders();
  await loadMetrics();
}
