/** `import --watch`: a separate process that imports new files of a folder, so that the service stays read-only. */
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { FolderWatch } from '../../import/files/watch.ts';
import { note } from './output.ts';
import { untilStopped } from './until-stopped.ts';

const EVERY_MS = 1000;

/**
 * Ends on a signal, after the current file.
 * @param take imports a file and reports it
 */
export async function watchFolder(folder: string, take: (path: string) => void): Promise<void> {
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
