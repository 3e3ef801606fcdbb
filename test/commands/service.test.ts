/** `service`: units with absolute paths, whatever characters the paths have. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers.ts';
import { runHere } from '../program.ts';

const ODD = `a b's "q" 100% $HOME \\ & <x>`;

const printed = async (...args: string[]) => {
  const { code, stdout, stderr } = await runHere(['service', ...args]);
  expect(code).toBe(0);
  return { stdout, stderr };
};

const verify = () => spawnSync('systemd-analyze', ['--version']).status === 0;

test('a unit with a wrong option is refused, as serve refuses it', async () => {
  const refused = await runHere(['service', 'launchd', '--port', 'abc']);
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([
    2,
    '',
    expect.stringMatching(/--port takes .*"abc"/),
  ]);
});

test.each([
  ['--home', '/tmp/a\nExecStart=/bin/b'],
  ['--db', '/tmp/a\nb.db'],
  ['--tls-cert', 'c\n.pem', '--tls-key', 'k.pem'],
])('a line break in %s never becomes a line of a unit', async (...args) => {
  for (const system of ['systemd', 'launchd', 'windows']) {
    const { code, stdout, stderr } = await runHere(['service', system, ...args]);
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringContaining('holds a line break'),
    ]);
  }
});

test('systemd: hardened, and systemd itself finds no fault', async () => {
  const folder = temporaryFolder();
  const home = join(folder, ODD);
  mkdirSync(home);
  const { stdout, stderr } = await printed(
    'systemd',
    '--home',
    home,
    '--port',
    '4800',
    '--mcp',
    '--tls-cert',
    'c.pem',
    '--tls-key',
    'k.pem',
  );
  const word = `"${home.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
  expect(stdout).toContain(
    ` serve --home ${word.replaceAll('$', '$$$$')} --port 4800 --tls-cert ${resolve('c.pem')} --tls-key ${resolve('k.pem')} --mcp\n`,
  );
  expect(stdout).toContain(`\nReadWritePaths=${word}\n`);
  for (const line of [
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'UMask=0077',
    'CapabilityBoundingSet=',
  ])
    expect(stdout).toContain(`\n${line}\n`);
  expect(stderr).toContain('sudo systemctl enable --now journal-api');
  if (!verify()) return;
  const unit = join(folder, 'journal-api.service');
  writeFileSync(unit, stdout.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'));
  const { status, stderr: found } = spawnSync(
    'systemd-analyze',
    ['verify', '--man=no', unit],
    {
      encoding: 'utf8',
    },
  );
  expect([
    status,
    found.split('\n').filter((line) => line.includes('journal-api')),
  ]).toEqual([0, []]);
});

test('launchd: a property list with the same words', async () => {
  const { stdout, stderr } = await printed(
    'launchd',
    '--home',
    `/${ODD}`,
    '--keys',
    '/k.db',
  );
  const text = (xml: string) =>
    xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
  const words = [...stdout.matchAll(/^ {4}<string>(.*)<\/string>$/gm)].map(([, word]) =>
    text(word as string),
  );
  expect(words.slice(-5)).toEqual(['serve', '--home', `/${ODD}`, '--keys', '/k.db']);
  expect(stderr).toContain('launchctl bootstrap');
});

test('Windows: a task whose words its programs read as they were', async () => {
  const home = `/${ODD}\\`;
  const { stdout, stderr } = await printed('windows', '--home', home);
  const line = /-Argument '((?:[^']|'')*)'/
    .exec(stdout)?.[1]
    ?.replaceAll("''", "'") as string;
  // The rules of CommandLineToArgvW, written independently.
  const words: string[] = [];
  let [word, quoted] = ['', false];
  for (const [part = ''] of `${line} `.matchAll(/\\+"?|"|\s|[^\\"\s]+/g)) {
    if (/^\s$/.test(part) && !quoted) {
      words.push(word);
      word = '';
    } else if (part.startsWith('\\') && part.endsWith('"')) {
      word += '\\'.repeat((part.length - 1) >> 1);
      if (part.length % 2) quoted = !quoted;
      else word += '"';
    } else if (part === '"') quoted = !quoted;
    else word += part;
  }
  expect(words.slice(-3)).toEqual(['serve', '--home', home]);
  expect(stderr).toContain('Unregister-ScheduledTask');
});

test.each([[['service']], [['service', 'cron']]])('%j is wrong usage', async (args) => {
  expect((await runHere(args)).code).toBe(2);
});
