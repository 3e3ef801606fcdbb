/** Bounds above which an import saves memory, and its progress. */
import type { Job } from '../files/contents.ts';
import type { Reading } from '../fills/reading.ts';
import type { Host } from './file-settings.ts';
import type { ReadSource } from './read-job.ts';

/**
 * Bounds of a large import: records or fills written, or bytes read. For unchanged records only
 * their count is kept.
 */
export const LARGE = { records: 50_000, unchanged: 1_000_000, bytes: 24_000_000 };

/** Number of records after which garbage is collected: before that there is little. */
const LONG = 5000;

const PROGRESS_EVERY = 500;

/**
 * Counts records, or bytes if records are read while they are written and their number is unknown.
 */
export function progressOf(
  { file }: Job,
  { records }: Pick<Reading, 'records'>,
  source: ReadSource,
  { progress, boundMemory, saveMemory }: Host,
): (done: number, changed: number) => void {
  let isBound = false;
  const boundOnce = (done: number, changed: number) => {
    const isLarge =
      changed >= LARGE.records ||
      done >= LARGE.unchanged ||
      (changed > 0 && source.done >= LARGE.bytes);
    if (!isLarge || isBound) return;
    boundMemory?.();
    isBound = true;
  };

  return (done, changed) => {
    boundOnce(done, changed);
    if (done === LONG) saveMemory?.();
    if (done % PROGRESS_EVERY !== 0) return;
    if (Array.isArray(records)) progress?.(file, done, records.length);
    else progress?.(file, source.done, source.size);
  };
}
