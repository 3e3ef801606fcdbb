/** A watched folder: each file once it is whole, a bad one left alone, and an end when asked. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { UserError } from '../../src/errors.ts';
import { FolderWatch } from '../../src/import/files/watch.ts';
import { openForWriting } from '../../src/journal-write/open.ts';
import { FileUnavailable } from '../../src/sqlite/errors.ts';
import { temporaryFolder } from '../helpers.ts';
import { PROGRAM } from '../program.ts';
import { ImportHome, TRADE } from './home.ts';

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
  /** Looks, and says which files were imported. */
  const look = () => {
    watch.look();
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

test('a file is taken once it stays as it is, and again once it changes', () => {
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

test('what is not finished, hidden, empty or a folder is passed by, and taken under its own name', () => {
  const { folder, look, write, said } = watching();
  mkdirSync(join(folder, 'trades'));
  for (const name of ['trades.jsonl.part', 'trades.jsonl.crdownload', '.trades.jsonl', 'trades.jsonl~'])
    write(name, line('a'));
  write('trades.csv', '');
  expect([look(), look()]).toEqual([[], []]);
  renameSync(join(folder, 'trades.jsonl.part'), join(folder, 'trades.jsonl'));
  expect([look(), look()]).toEqual([[], ['trades.jsonl']]);
  expect(said).toEqual([]);
});

test('a bad file is left alone and said so, until it changes', () => {
  const { look, write, said, folder } = watching();
  write('trades.jsonl', '{"id": "a"}\n');
  write('trades.csv', `id\n`);
  look();
  look();
  expect(said).toEqual([
    expect.stringMatching(/^trades\.jsonl:1: .* are missing\ntrades\.jsonl is left alone until it changes$/),
  ]);
  look();
  expect(said).toHaveLength(1);
  write('trades.jsonl', line('a'));
  utimesSync(join(folder, 'trades.jsonl'), 1, 1);
  look();
  expect(look()).toEqual(['trades.jsonl']);
});

test('a locked journal is waited for, and a folder that goes', () => {
  const { look, write, said, home, folder } = watching();
  write('trades.jsonl', line('a'));
  const other = openForWriting(home.journal);
  other.exec('BEGIN IMMEDIATE');
  look();
  expect([look(), look()]).toEqual([[], []]);
  expect(said).toEqual([expect.stringMatching(/another program is using it.*; trades\.jsonl waits$/)]);
  other.exec('COMMIT');
  other.close();
  expect(look()).toEqual(['trades.jsonl']);
  rmSync(folder, { recursive: true });
  expect([look(), look()]).toEqual([[], []]);
  expect(said.slice(1)).toEqual([expect.stringMatching(/can't be read: .*; waiting for it to come back$/)]);
  expect(() => new FolderWatch({ folder, take: () => {}, note: () => {} }).start()).toThrow(UserError);
});

test('so is a journal that cannot even be read', () => {
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
  for (let i = 0; i < 3; i++) watch.look();
  expect(said).toEqual([expect.stringMatching(/^another program is writing to the file; .*trades\.jsonl waits$/)]);
  isLocked = false;
  watch.look();
  expect(taken).toEqual([join(folder, 'trades.jsonl')]);
});

test('the command: a report a file, and SIGTERM ends it', async () => {
  const home = temporaryFolder();
  const folder = join(home, 'in');
  mkdirSync(folder);
  writeFileSync(join(folder, 'bad.csv'), 'a,b\n1,2\n');
  writeFileSync(join(folder, 'trades.jsonl'), line('a'));
  const child = spawn(process.execPath, [PROGRAM, 'import', '--watch', folder, '--json', '--home', join(home, 'h')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const [report] = await once(child.stdout.setEncoding('utf8'), 'data');
  expect(JSON.parse(report)).toMatchObject({ files: [{ file: join(folder, 'trades.jsonl'), added: 1 }] });
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(errors).toContain('bad.csv is left alone');
  expect(errors).toMatch(/^Watching .*\/in\. Stop with Ctrl-C\.\n/);
});
