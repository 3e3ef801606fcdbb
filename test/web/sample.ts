/** The sample trader's year, served at the time of the tests. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sampleJournal } from '../../src/demo/index.ts';
import { listen } from '../../src/http/server.ts';
import { importPaths } from '../../src/import/index.ts';
import { loadAll } from '../../src/import/on-demand.ts';
import { atEnd, NOW, World } from '../helpers.ts';

await loadAll();

export interface Served {
  world: World;
  /** http://127.0.0.1:40123 */
  url: string;
  key: string;
  /** Stops the service before the end of the test. */
  stop: () => Promise<void>;
}

/** A journal on a real port. */
export async function serve(world: World): Promise<Served> {
  const server = await listen(world.app, { host: '127.0.0.1', port: 0 });
  const stop = () => server.close();
  atEnd(stop);
  return { world, url: server.url, key: world.key(), stop };
}

export async function serveSample(): Promise<Served> {
  const { user, records } = sampleJournal('2026-11-20');
  const world = new World(user);
  const folder = join(world.files.home, 'records');
  mkdirSync(folder);
  for (const [resource, list] of Object.entries(records)) {
    writeFileSync(
      join(folder, `${resource}.jsonl`),
      list.map((record) => `${JSON.stringify(record)}\n`).join(''),
    );
  }
  importPaths({ paths: [folder], journal: world.files.journal, now: NOW });
  return serve(world);
}
