/** The sample trader's year, served for a benchmark. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Demo {
  url: string;
  key: string;
  /** Its data folder. */
  home: string;
  /** Ends it and removes what it made. */
  stop: () => Promise<void>;
}

/** Starts what `npm run build` made. */
export async function startDemo(program: string): Promise<Demo> {
  const home = mkdtempSync(join(tmpdir(), 'journal-api-sample-'));
  const child = spawn(process.execPath, [program, 'demo', '--home', home, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    said += text;
    if (said.includes('Stop with Ctrl-C')) break;
  }
  const stop = async () => {
    child.kill();
    await once(child, 'close');
    rmSync(home, { recursive: true, force: true });
  };
  const found = (pattern: RegExp) => pattern.exec(said)?.[1] as string;
  return { url: found(/(http:\/\/127\.0\.0\.1:\d+)/), key: found(/KEY=(\S+)/), home, stop };
}
