/** Text typed into an editor survives full disks, I/O errors and folders that take no file. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import { isExhaustive } from '../effort.ts';
import { ImportHome, TRADE } from '../import/home.ts';
import { run } from '../program.ts';
import { forEachAtOnce, printFigures } from './figures.ts';
import { boundariesOf, type Call, callsOf, hasStrace, runWith } from './strace.ts';

const DAY = '2026-11-02';
const TEXT = 'I sold into the fear of others';

const counts = { edits: 0, lost: 0 };

afterAll(() => {
  if (counts.edits > 0)
    printFigures(
      `texts typed while a call failed: ${counts.edits}; lost: ${counts.lost}`,
    );
});

/** A journal with a day to write about, and an editor that types into its note. */
class Desk extends ImportHome {
  readonly env: Record<string, string>;
  readonly args: string[];

  /** @param commands of the editor, in addition; $1 is the note */
  constructor(...commands: string[]) {
    super();
    this.withUser();
    this.import(this.lines('trades.jsonl', TRADE));
    mkdirSync(this.path('tmp'));
    const type = `sed -i 's/^## Lesson/## Lesson\\n\\n${TEXT}/' "$1" && touch ${this.path('typed')}`;
    const editor = this.file('editor.sh', [...commands, type].join('\n'));
    this.env = { VISUAL: '', EDITOR: `sh ${editor}`, TMPDIR: this.path('tmp') };
    this.args = ['day', DAY, '--edit', '--home', this.folder];
  }

  get isTyped(): boolean {
    return existsSync(this.path('typed'));
  }

  get isStored(): boolean {
    // Any command that may write undoes what a failed one left.
    const db = new Database(this.journal);
    const texts = JSON.stringify(db.prepare('SELECT * FROM sessions').all());
    db.close();
    return texts.includes(TEXT);
  }
}

/** The file in the last line. */
function keptIn(stderr: string): string {
  const path = stderr.trimEnd().split('\n').at(-1) as string;
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

async function failAt(fault: 'ENOSPC' | 'EIO' | 'EACCES', call: Call): Promise<void> {
  const desk = new Desk();
  const { code, stdout, stderr } = await runWith(fault, call, desk.args, desk.env);
  if (!desk.isTyped) return;
  counts.edits++;
  const isKept = desk.isStored || keptIn(stderr).includes(TEXT) || stdout.includes(TEXT);
  if (isKept && !/unexpected error|^\s+at /m.test(stderr)) return;
  counts.lost++;
  throw new Error(`${fault} at ${call.text}, ended with ${code}: ${stderr}`);
}

describe.skipIf(!hasStrace)('needs strace', () => {
  test('text typed while a disk fails is stored, or kept where the last line says', {
    timeout: 600_000,
  }, async () => {
    const desk = new Desk();
    const calls = await callsOf(desk.args, desk.folder, desk.env);
    const chosen = isExhaustive ? calls : boundariesOf(calls, { firsts: 8, others: 4 });
    await forEachAtOnce(chosen, (call) =>
      failAt(/^(fsync|fdatasync|unlink)/.test(call.name) ? 'EIO' : 'ENOSPC', call),
    );
    const creates = calls.filter(({ text }) => text.includes('not-imported'));
    expect(creates.length).toBeGreaterThan(0);
    await failAt('EACCES', creates[0] as Call);
  });
});

test('text that no folder takes is printed whole', async () => {
  const long = 'x'.repeat(500);
  // The editor may write more than the program: the limit of the size of files is a soft one.
  const desk = new Desk(
    'ulimit -S -f unlimited',
    `for i in $(seq 200); do echo ${long} >> "$1"; done`,
  );
  const limited = ['sh', '-c', 'ulimit -S -f 32; exec "$@"', 'sh'];
  const { code, stdout, stderr } = await run(desk.args, {
    under: limited,
    env: desk.env,
  });
  expect([code, desk.isTyped, stdout.split(long).length - 1]).toEqual([1, true, 200]);
  expect(stdout).toContain(TEXT);
  expect(stderr).toContain(
    'your text is printed above, because it could not be written to a file\n',
  );
});
