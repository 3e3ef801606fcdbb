/** The skill: valid by the specification, correct, and installed in the folders of agents. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, onTestFinished, test } from 'vitest';
import { QUESTIONS } from '../../src/http/endpoints/service.ts';
import { temporaryFolder, tradeRow, World } from '../helpers.ts';
import { runHere } from '../program.ts';

const text = readFileSync('skills/trading-journal/SKILL.md', 'utf8');
const [, header = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
const fields = Object.fromEntries(
  header.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)),
);

test('its front matter follows the specification', () => {
  expect(Object.keys(fields)).toEqual([
    'name',
    'description',
    'license',
    'compatibility',
  ]);
  expect(fields['name']).toBe('trading-journal');
  expect(fields['name']).toMatch(/^(?!-)(?!.*--)[a-z0-9-]{1,64}(?<!-)$/);
  expect(fields['description']?.length).toBeLessThanOrEqual(1024);
  expect(fields['description']).toMatch(/Use when/);
  expect(fields['compatibility']?.length).toBeLessThanOrEqual(500);
  // Plain scalars of YAML, without characters that would start anything else.
  for (const value of Object.values(fields))
    expect(value).not.toMatch(/: |\s#|^[[{&*!|>'"%@`-]|[<>]/);
  expect(encode(body).length).toBeLessThan(5000);
  expect(body.split('\n').length).toBeLessThan(500);
});

test('it has every question, and each of its calls succeeds', {
  timeout: 60_000,
}, async () => {
  for (const { question } of QUESTIONS) expect(body).toContain(question);
  const world = new World();
  world.now = Date.now();
  const key = world.key();
  world.insert(
    'trades',
    tradeRow('ID', {
      closed_at: new Date().toISOString(),
      executed_at: new Date().toISOString(),
    }),
  );
  const calls = [...body.matchAll(/journal-api get ([^`|>\n]+)/g)].map((match) =>
    (match[1] as string).trim(),
  );
  const asked = calls.filter((call) => !call.includes('PATH'));
  expect(asked.length).toBeGreaterThan(14);
  for (const call of new Set(asked.filter((call) => !call.includes('--')))) {
    const [path, ...parameters] = call.replaceAll("'", '').split(' ');
    const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
    expect([call, (await world.ask(`/v1/${path}${query}`, { key })).status]).toEqual([
      call,
      200,
    ]);
  }
  for (const call of asked.filter((call) => call.includes('--'))) {
    const { code } = await runHere(
      ['get', ...call.split(' '), '--home', world.files.home],
      {
        env: { JOURNAL_API_KEY: key },
      },
    );
    expect([call, code]).toEqual([call, 0]);
  }
});

test('skill prints it, and --install copies it to the folders of agents', async () => {
  expect((await runHere(['skill'])).stdout).toBe(text);
  const home = temporaryFolder();
  const old = join(home, '.agents', 'skills', 'trading-journal');
  mkdirSync(old, { recursive: true });
  writeFileSync(join(old, 'SKILL.md'), 'an older one');
  chmodSync(join(old, 'SKILL.md'), 0o666);
  const umask = process.umask(0);
  onTestFinished(() => void process.umask(umask));
  const { code, stdout } = await runHere(['skill', '--install'], {
    env: { HOME: home, USERPROFILE: home },
  });
  expect([code, stdout]).toEqual([0, '']);
  for (const folder of ['.claude', '.agents']) {
    const path = join(home, folder, 'skills', 'trading-journal', 'SKILL.md');
    expect([path, existsSync(path) && readFileSync(path, 'utf8')]).toEqual([path, text]);
    // Other users can't change an agent's instructions.
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o644);
  }
  for (const made of ['.claude', '.claude/skills', '.claude/skills/trading-journal']) {
    if (process.platform !== 'win32')
      expect(statSync(join(home, made)).mode & 0o777).toBe(0o755);
  }
});
