/** A watched folder: complete files are imported, bad ones skipped, and SIGTERM ends it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { bytesOf, FileSource, startOf } from '../../src/import/files/contents.ts';
import { planImport, readImports } from '../../src/import/files/plan.ts';
import { FolderWatch } from '../../src/import/files/watch.ts';
import { openForWriting } from '../../src/journal-write/open.ts';
import { generateKey } from '../../src/keys/format.ts';
import { readNote } from '../../src/notes/vault.ts';
import { FileUnavailable } from '../../src/sqlite/errors.ts';
import { temporaryFolder } from '../helpers.ts';
import { PROGRAM, runHere } from '../program.ts';
import { ImportHome, TRADE } from './home.ts';

const FILLS =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp\n';

const line = (id: string) => `${JSON.stringify({ ...TRADE, id })}\n`;

function watching() {
  const home = new ImportHome().withUser();
  const folder = home.path('in');
  mkdirSync(folder);
  const taken: string[] = [];
  const said: string[] = [];
  const watch = new FolderWatch({
    folder,
    take(path) {
      home.import(path, { patience: 10 });
      taken.push(path.slice(folder.length + 1));
    },
    note: (words) => said.push(words.replaceAll(`${folder}/`, '')),
  });
  watch.start();
  /** Polls, and returns the imported files. */
  const look = () => {
    Array.from(watch.look());
    return taken.splice(0);
  };
  return {
    home,
    folder,
    said,
    look,
    watch,
    write: (name: string, text: string) => writeFileSync(join(folder, name), text),
  };
}

test('a file is imported once it stops changing, and again when it changes', () => {
  const { folder, look, write, home } = watching();
  write('trades.jsonl', line('a'));
  expect(look()).toEqual([]);
  appendFileSync(join(folder, 'trades.jsonl'), line('b'));
  expect(look()).toEqual([]);
  expect(look()).toEqual(['trades.jsonl']);
  expect(look()).toEqual([]);
  appendFileSync(join(folder, 'trades.jsonl'), line('c'));
  look();
  expect(look()).toEqual(['trades.jsonl']);
  expect(home.everything()['trades']).toHaveLength(3);
});

test('unfinished, hidden and empty files are skipped until they get their final name', () => {
  const { folder, look, write, said } = watching();
  mkdirSync(join(folder, 'trades'));
  for (const name of [
    'trades.jsonl.part',
    'trades.jsonl.crdownload',
    '.trades.jsonl',
    'trades.jsonl~',
  ])
    write(name, line('a'));
  write('trades.csv', '');
  expect([look(), look()]).toEqual([[], []]);
  renameSync(join(folder, 'trades.jsonl.part'), join(folder, 'trades.jsonl'));
  expect([look(), look()]).toEqual([[], ['trades.jsonl']]);
  expect(said).toEqual([]);
});

test('files in subfolders are imported, and links to folders are never followed', () => {
  const { folder, look, write, said, home } = watching();
  mkdirSync(join(folder, '2026', '11'), { recursive: true });
  mkdirSync(join(folder, '.trash'));
  mkdirSync(home.path('elsewhere'));
  for (const name of [
    '2026/11/trades.jsonl',
    '.trash/trades.jsonl',
    '../elsewhere/trades.jsonl',
  ])
    write(name, line('a'));
  symlinkSync(home.path('elsewhere'), join(folder, '2026', 'link'));
  expect([look(), look()]).toEqual([[], ['2026/11/trades.jsonl']]);
  expect(said).toEqual([expect.stringMatching(/^2026\/link is a link and is skipped/)]);
});

test('a name with a line break never reaches a report', () => {
  const { home, folder, said, look } = watching();
  const odd = join(folder, 'trades\nAll is well.jsonl');
  writeFileSync(odd, line('t1'));
  writeFileSync(join(folder, 'trades.jsonl'), line('t2'));
  look();
  expect(look()).toEqual(['trades.jsonl']);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('trades\\nAll is well.jsonl" holds a control character');

  expect(() => home.import(odd)).toThrow(
    '\\nAll is well.jsonl" holds a line break or other',
  );
  expect(home.import(folder).ignored).toEqual([
    { file: '"trades\\nAll is well.jsonl"', reason: 'a control character in its name' },
  ]);
});

test('a file is rejected if a folder above it became a link', () => {
  const { folder, home, write } = watching();
  mkdirSync(join(folder, 'a'));
  mkdirSync(home.path('elsewhere'));
  for (const name of ['a/trades.jsonl', '../elsewhere/trades.jsonl'])
    write(name, line('a'));
  rmSync(join(folder, 'a'), { recursive: true });
  symlinkSync(home.path('elsewhere'), join(folder, 'a'));
  const file = join(folder, 'a', 'trades.jsonl');
  expect(() => home.import(file, { noLinks: true })).toThrow(
    `${file} was replaced while it was opened; import it again`,
  );
});

test('a bad file is reported and skipped until changed', () => {
  const { look, write, said, folder } = watching();
  write('trades.jsonl', '{"id": "a"}\n');
  write('trades.csv', `id\n`);
  look();
  look();
  expect(said).toEqual([
    expect.stringMatching(
      /^trades\.jsonl:1: .* are missing\ntrades\.jsonl is skipped until it changes$/,
    ),
  ]);
  look();
  expect(said).toHaveLength(1);
  write('trades.jsonl', line('a'));
  utimesSync(join(folder, 'trades.jsonl'), 1, 1);
  look();
  expect(look()).toEqual(['trades.jsonl']);
});

test('a file with an unexpected error is skipped until changed, and the next one is imported', () => {
  const { folder, write } = watching();
  write('a.csv', 'x');
  write('b.csv', 'x');
  const said: string[] = [];
  const taken: string[] = [];
  const take = (path: string) => {
    if (path.endsWith('a.csv')) throw new TypeError('shape[name] is not a function');
    taken.push(path);
  };
  const watch = new FolderWatch({
    folder,
    take,
    note: (words) => said.push(words.replaceAll(`${folder}/`, '')),
  });
  for (let i = 0; i < 3; i++) Array.from(watch.look());
  expect(taken).toEqual([join(folder, 'b.csv')]);
  expect(said).toEqual([
    'a.csv: unexpected error: shape[name] is not a function\na.csv is skipped until it changes',
  ]);
});

const FILL = (quantity: string, price: string) =>
  `${FILLS}MESZ6,1,2,${quantity},${price},1,1,11/20/2026 10:00:00,11/20/2026 10:01:00\n`;
const NOTE = (property: string) =>
  `---\ntype: session\ndate: 2026-11-20\n${property}\n---\n`;

test.each([
  ['a number of 320 digits', 'a.csv', FILL('1', '9'.repeat(320))],
  [
    'numbers whose quotient is none',
    'a.csv',
    FILL(`0.${'0'.repeat(300)}1`, `1${'0'.repeat(59)}`),
  ],
  ['a note of __proto__', 'a.md', NOTE('review.__proto__: 3')],
  ['a note of a constructor', 'a.md', NOTE('market_context.constructor: 3')],
  [
    'a note of a flag called constructor',
    'a.md',
    NOTE('review.followed_plan: constructor'),
  ],
])(
  '%s: the file is rejected with a clear error, and the next one is imported',
  (_, name, content) => {
    const { look, write, said } = watching();
    write(name, content);
    write('trades.jsonl', line('a'));
    look();
    expect(look()).toEqual(['trades.jsonl']);
    expect(said).toEqual([expect.stringMatching(/ is skipped until it changes$/)]);
    expect(said[0]).not.toContain('unexpected error');
  },
);

test("a link in the folder isn't followed, but the folder may be one", () => {
  const { home, folder, write, said } = watching();
  write('trades.jsonl', line('a'));
  writeFileSync(home.path('secret.csv'), `${generateKey()}\n`);
  symlinkSync(home.path('secret.csv'), join(folder, 'linked.csv'));
  symlinkSync(folder, home.path('link'));
  const taken: string[] = [];
  const note = (words: string) => said.push(words.replaceAll(`${home.folder}/`, ''));
  const watch = new FolderWatch({
    folder: home.path('link'),
    take: (path) => taken.push(path),
    note,
  });
  watch.start();
  for (let i = 0; i < 3; i++) Array.from(watch.look());
  expect(taken).toEqual([home.path('link/trades.jsonl')]);
  expect(said).toEqual([
    'link/linked.csv is a link and is skipped; copy the file into the folder',
  ]);
});

test.each([
  ['records', 'trades.jsonl', line('a')],
  ["a platform's export", 'fills.csv', FILL('1', '0.8')],
  ['a note', 'a.md', NOTE('mood: calm')],
])("a link that replaces %s after it was seen isn't followed", (_, name, content) => {
  const { home, folder, write } = watching();
  write(name, content);
  const said: string[] = [];
  const take = (path: string) => {
    renameSync(path, home.path(name));
    symlinkSync(home.path(name), path);
    home.import(path, { noLinks: true });
  };
  const watch = new FolderWatch({
    folder,
    take,
    note: (words) => said.push(words.replaceAll(`${folder}/`, '')),
  });
  for (let i = 0; i < 2; i++) Array.from(watch.look());
  expect(said).toEqual([
    `${name} is a link; copy the file into the folder\n${name} is skipped until it changes`,
  ]);
  expect(home.import(home.path(name)).files).toHaveLength(1);
});

test("a link that replaces a file during an import isn't followed, nor one next to it", () => {
  const folder = temporaryFolder();
  const [file, other, beside] = ['fills.jsonl', 'other', 'imports.json'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  writeFileSync(file, line('a'));
  const place = { file, noLinks: true };
  const source = new FileSource(place);
  expect([...source.blocks()].join('')).toBe(line('a'));
  writeFileSync(other, '[]');
  symlinkSync(other, beside);
  expect(readImports({ file: beside })).toEqual([]);
  expect(readImports({ file: beside, noLinks: true })).toBeUndefined();

  rmSync(file);
  symlinkSync(other, file);
  for (const read of [
    () => [...source.blocks()],
    () => source.bytes(),
    () => startOf(place),
    () => bytesOf(place),
    () => readNote(place, folder),
  ]) {
    expect(read).toThrow(
      new UserError(`${file} is a link; copy the file into the folder`),
    );
  }
  rmSync(file);
  mkdirSync(file);
  const [failed] = planImport([file], { noLinks: true }).failed;
  expect(failed?.error.message).toMatch(/is neither a file nor a pipe$/);
});

test('import is retried after a locked journal or a missing folder', () => {
  const { look, write, said, home, folder } = watching();
  write('trades.jsonl', line('a'));
  const other = openForWriting(home.journal);
  other.exec('BEGIN IMMEDIATE');
  look();
  expect([look(), look()]).toEqual([[], []]);
  expect(said).toEqual([
    expect.stringMatching(
      /another program is using it.*; trades\.jsonl will be retried$/,
    ),
  ]);
  other.exec('COMMIT');
  other.close();
  expect(look()).toEqual(['trades.jsonl']);
  rmSync(folder, { recursive: true });
  expect([look(), look()]).toEqual([[], []]);
  expect(said.slice(1)).toEqual([
    expect.stringMatching(/can't be read: .*; waiting for it to come back$/),
  ]);
  expect(() =>
    new FolderWatch({ folder, take: () => {}, note: () => {} }).start(),
  ).toThrow(UserError);
});

test('and after a journal that could not be read', () => {
  const { folder, write } = watching();
  write('trades.jsonl', line('a'));
  let isLocked = true;
  const said: string[] = [];
  const taken: string[] = [];
  const take = (path: string) => {
    const cause = new FileUnavailable('another program is writing to the file');
    if (isLocked) throw new UserError(cause.message, { cause });
    taken.push(path);
  };
  const watch = new FolderWatch({ folder, take, note: (words) => said.push(words) });
  for (let i = 0; i < 3; i++) Array.from(watch.look());
  expect(said).toEqual([
    expect.stringMatching(
      /^another program is writing to the file; .*trades\.jsonl will be retried$/,
    ),
  ]);
  isLocked = false;
  Array.from(watch.look());
  expect(taken).toEqual([join(folder, 'trades.jsonl')]);
});

test('the caller may stop between two files', () => {
  const { look, write, home, watch } = watching();
  for (const name of ['a', 'b', 'c'])
    write(
      `${name}.md`,
      `---\ntype: session\ndate: 2026-11-2${name.charCodeAt(0) % 10}\n---\n`,
    );
  look();
  const steps = watch.look();
  steps.next();
  steps.next();
  expect(home.rows('SELECT id FROM sessions')).toEqual([{ id: 'note:a' }]);
});

test('a folder that is missing is named by its whole path', async () => {
  const home = temporaryFolder();
  expect(
    await runHere(['import', '--watch', 'in', '--home', home], { cwd: home }),
  ).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`the folder ${join(home, 'in')} can't be read`),
  });
});

test('the command reports each file of the folder that a link names, and SIGTERM ends it', async () => {
  const home = temporaryFolder();
  const folder = join(home, 'in');
  const link = join(home, 'link');
  mkdirSync(folder);
  symlinkSync(folder, link);
  writeFileSync(join(folder, 'bad.csv'), 'a,b\n1,2\n');
  writeFileSync(join(folder, 'trades.jsonl'), line('a'));
  const child = spawn(
    process.execPath,
    [PROGRAM, 'import', '--watch', link, '--json', '--home', join(home, 'h')],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const [report] = await once(child.stdout.setEncoding('utf8'), 'data');
  expect(JSON.parse(report)).toMatchObject({
    files: [{ file: join(folder, 'trades.jsonl'), added: 1 }],
  });
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(errors).toContain('bad.csv is skipped');
  expect(errors).toMatch(/^Watching .*\/in\. Stop with Ctrl-C\.\n/);
});
