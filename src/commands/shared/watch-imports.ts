/** `import --watch`: imports a folder's files, then new ones, until it is stopped. */
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { FolderWatch } from '../../import/files/watch.ts';
import { note } from './command.ts';
import { untilStopped } from './serving.ts';

/**
 * The folder to watch. Links in its own path are the owner's; links below it aren't
 * followed.
 */
export function watchedFolder(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : resolve(folder);
}

const EVERY_MS = 1000;

/**
 * A separate process, so that the service stays read-only. Ends on a signal, after the
 * current file.
 * @param take imports a file and reports it
 */
export async function watchFolder(
  folder: string,
  take: (path: string) => void,
): Promise<void> {
  const watch = new FolderWatch({ folder, take, note });
  watch.start();
  const ending = new AbortController();
  const stopped = untilStopped().then(() => ending.abort());
  note(`Watching ${folder}. Stop with Ctrl-C.`);

  while (!ending.signal.aborted) {
    for (const _ of watch.look()) {
      await immediate();
      if (ending.signal.aborted) break;
    }
    await sleep(EVERY_MS, undefined, { signal: ending.signal }).catch(() => {});
  }

  await stopped;
}
