/** The command line that starts this program again, with absolute paths, for other programs to run. */
import { resolve } from 'node:path';
import { isSea } from 'node:sea';
import type { Files, GlobalOptions } from '../../config.ts';

export interface OwnCommand {
  command: string;
  args: string[];
}

/** @param args of the command line, the command's name first */
export function ownCommand(...args: string[]): OwnCommand {
  // An executable is its own script.
  const script = isSea() ? [] : [resolve(process.argv[1] as string)];
  return { command: process.execPath, args: [...script, ...args] };
}

/** Flags for these files. */
export function fileFlags(files: Files, options: GlobalOptions): string[] {
  const placed = (flag: string, path: string | undefined) => (path === undefined ? [] : [flag, resolve(path)]);
  return [
    ...['--home', files.home],
    ...placed('--db', options.db),
    ...placed('--keys', options.keys),
    ...placed('--secret-file', options.secretFile),
  ];
}
