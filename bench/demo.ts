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
  /** Stops it and removes its files. */
  stop: () => Promise<void>;
}

/** Starts the built program. */
export async function startDemo(program: string): Promise<Demo> {
  const home = mkdtempSync(join(tmpdir(), 'journal-api-sample-'));
  const child = spawn(
    process.execPath,
    [program, 'demo', '--home', home, '--port', '0'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    output += text;
    if (output.includes('Stop with Ctrl-C')) break;
  }
  const stop = async () => {
    child.kill();
    await once(child, 'close');
    rmSync(home, { recursive: true, force: true });
  };
  const found = (pattern: RegExp) => pattern.exec(output)?.[1] as string;
  return {
    url: found(/(http:\/\/127\.0\.0\.1:\d+)/),
    key: found(/KEY=(\S+)/),
    home,
    stop,
  };
}
