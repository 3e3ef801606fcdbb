/** The system calls with which the built program changes files: strace lists them, kills at them, or makes them fail. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../helpers.ts';
import { run } from '../program.ts';
import { randomNumbers } from '../seed.ts';

/** Stops at the traced calls alone, which takes half the time. */
const ONLY_TRACED = ['-f', '--seccomp-bpf'];

export const hasStrace =
  spawnSync('strace', [...ONLY_TRACED, '-o', '/dev/null', '-e', 'trace=none', 'true'])
    .status === 0;

const CHANGES = [
  ...[
    'open',
    'openat',
    'creat',
    'mkdir',
    'rename',
    'renameat',
    'renameat2',
    'link',
    'linkat',
    'unlink',
    'unlinkat',
    'rmdir',
  ],
  ...[
    'write',
    'writev',
    'pwrite64',
    'pwritev',
    'ftruncate',
    'truncate',
    'copy_file_range',
    'sendfile',
    'fallocate',
  ],
  ...['fsync', 'fdatasync', 'chmod', 'fchmod'],
];

const TRACE = `trace=${CHANGES.join(',')}`;

/** A call that changes a file of the folder. */
export interface Call {
  name: string;
  /** The ordinal among calls of this name in the first thread. */
  nth: number;
  /** strace's line. */
  text: string;
}

type Environment = Record<string, string>;

/** Runs a command to its end. @returns its changes to files below a folder, in order */
export async function callsOf(
  args: readonly string[],
  folder: string,
  env: Environment = {},
): Promise<Call[]> {
  const trace = `${folder}.trace`;
  const { code, stderr } = await run(args, {
    under: ['strace', ...ONLY_TRACED, '-y', '-s', '0', '-o', trace, '-e', TRACE],
    env,
  });
  if (code !== 0) throw new Error(`${args.join(' ')} failed by itself: ${stderr}`);
  const lines = readFileSync(trace, 'utf8').split('\n');
  const [first] = (lines[0] as string).split(' ');
  const counts = new Map<string, number>();
  const calls: Call[] = [];
  for (const line of lines) {
    const [, thread, name, rest] = /^(\d+) +(\w+)(\(.*)/.exec(line) ?? [];
    if (thread !== first || name === undefined || rest === undefined) continue;
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    if (!rest.includes(folder) || (name.startsWith('open') && !rest.includes('O_CREAT')))
      continue;
    calls.push({ name, nth, text: `${name}${rest}` });
  }
  return calls;
}

/** How many calls a run tries. */
interface Sample {
  /** Of the first calls of each kind on each kind of file. */
  firsts: number;
  others: number;
}

/** First calls of a kind on a kind of file, and others, drawn at random. */
export function boundariesOf(
  calls: readonly Call[],
  { firsts: most, others }: Sample,
): Call[] {
  const firsts = new Map<string, Call>();
  // Random parts of names and sizes make no kind.
  const kindOf = ({ name, text }: Call) =>
    `${name} ${/home[^"<>,]*/.exec(text)?.[0].replace(/\w*\d\w*/g, '')}`;
  for (const call of calls) if (!firsts.has(kindOf(call))) firsts.set(kindOf(call), call);
  const left = calls.filter((call) => firsts.get(kindOf(call)) !== call);
  const random = randomNumbers();
  const drawn = (from: Call[], count: number) =>
    Array.from(
      { length: Math.min(count, from.length) },
      () => from.splice(random(from.length), 1)[0] as Call,
    );
  return [...drawn([...firsts.values()], most), ...drawn(left, others)];
}

type Fault = 'KILL' | 'ENOSPC' | 'EIO' | 'EACCES';

/**
 * Runs a command that is killed before a call, or in which the call fails; from then on, pages don't fit on a full disk.
 * @returns how it ended, and strace's line of the call that failed first
 */
export async function runWith(
  fault: Fault,
  { name, nth }: Call,
  args: readonly string[],
  env: Environment = {},
) {
  const what = fault === 'KILL' ? 'signal=KILL' : `error=${fault}`;
  const inject = `inject=${name}:${what}:when=${nth}${fault === 'ENOSPC' && name === 'pwrite64' ? '+' : ''}`;
  const trace = join(temporaryFolder(), 'trace');
  // A signal comes only with a stop at every call.
  const stops = fault === 'KILL' ? ['-f'] : ONLY_TRACED;
  const ended = await run(args, {
    under: ['strace', ...stops, '-s', '0', '-o', trace, '-e', TRACE, '-e', inject],
    env,
  });
  const failed = readFileSync(trace, 'utf8')
    .split('\n')
    .find((line) => line.endsWith('(INJECTED)'));
  return { ...ended, failed };
}
