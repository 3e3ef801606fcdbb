/** Runs the program on a terminal, which util-linux's `script` makes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { PROGRAM } from './program.ts';

export const hasTerminal = process.platform === 'linux' && existsSync('/usr/bin/script');

interface OnTerminal {
  /** Everything on the screen so far. */
  seen: () => string;
  /** Waits for a text on the screen. */
  until: (pattern: RegExp) => Promise<RegExpExecArray>;
  type: (text: string) => void;
  /** Sends the program a signal. */
  kill: (signal: NodeJS.Signals) => void;
  /** Its exit code. */
  ended: Promise<number>;
}

/** Starts the program, which ends with the test. @param args without spaces and quotes */
export function onTerminal(...args: string[]): OnTerminal {
  const command = `echo pid $$; exec ${[process.execPath, PROGRAM, ...args].join(' ')}`;
  const child: ChildProcess = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] ?? '', SHELL: '/bin/sh' },
  });
  let seen = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => (seen += text));
  const pid = () => Number(/^pid (\d+)/.exec(seen)?.[1]);
  const ended = once(child, 'close').then(([code]) => code as number);
  onTestFinished(async () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    await ended;
  });

  return {
    seen: () => seen,
    async until(pattern) {
      for (;;) {
        const found = pattern.exec(seen);
        if (found) return found;
        if (child.exitCode !== null) throw new Error(`it ended: ${seen}`);
        await sleep(5);
      }
    },
    type: (text) => void child.stdin?.write(text),
    kill: (signal) => void process.kill(pid(), signal),
    ended,
  };
}
