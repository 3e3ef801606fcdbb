/** `completion`: words completed in a shell, by the shell's own script. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder, tradeRow, World } from '../helpers.ts';
import { PROGRAM, runHere } from '../program.ts';

function journal(): World {
  const world = new World();
  const labels = {
    setup: 'ORB long',
    account: 'main',
    symbol: 'MNQZ6',
    underlying: 'MNQ',
    tags: '["news"]',
  };
  world.insert(
    'trades',
    tradeRow('t-1', { ...labels, mistakes: '["chased","no stop"]' }),
  );
  world.insert('trades', tradeRow('t-2', { setup: 'VWAP', symbol: 'ES' }));
  return world;
}

async function completed(
  shell: string,
  words: string[],
  home: string,
): Promise<string[]> {
  const { code, stdout, stderr } = await runHere([
    '--home',
    home,
    'completion',
    shell,
    '--words',
    '--',
    ...words,
  ]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((word) => word !== '');
}

test.each([
  [['imp'], ['import']],
  [['import', 'u'], ['undo']],
  [['user', 'set', 'me', '--time'], ['--timezone']],
  [['user', 'set', 'me', '--timezone', 'america/new_y'], ['America/New_York']],
  [['import', '--format', 'tradovate-o'], ['tradovate-orders']],
  [['get', 'sess'], ['sessions']],
  [['annotate', 'la'], ['last']],
  [['annotate', 'last', '--add-mistake', 'c'], ['chased']],
  [
    ['note', 'x', '--trade', ''],
    ['last', 'ES', 'MNQZ6'],
  ],
  [['remove', 'missed'], ['missed-trades']],
  [['get', 'trades', 'setup=o'], ['setup=ORB\\ long']],
  [
    ['get', 'trades', 'side='],
    ['side=long', 'side=short'],
  ],
  [
    ['get', 'trades', 'mistake='],
    ['mistake=chased', 'mistake=no\\ stop'],
  ],
  [['get', 'trades', 'account="m'], ['account=main']],
  [['summary', '--period', 'last_m'], ['last_month']],
  [['completion', 'z'], ['zsh']],
  [['import', 'some-fil'], []],
  [['nothing', 'x'], []],
])('%j is completed to %j', async (words, expected) => {
  expect(await completed('zsh', words, journal().files.home)).toEqual(expected);
});

test('without a journal labels have no completions, and no file is created', async () => {
  const home = temporaryFolder();
  expect(await completed('zsh', ['get', 'trades', 'setup='], home)).toEqual([]);
  expect(readdirSync(home)).toEqual([]);
  expect(
    await completed(
      'zsh',
      ['--home', journal().files.home, 'get', 'trades', 'tag='],
      home,
    ),
  ).toEqual(['tag=news']);
});

test('an unknown shell is refused with a list of the known ones', async () => {
  const { code, stderr } = await runHere(['completion', 'tcsh']);
  expect([code, stderr]).toEqual([
    2,
    'error: the shell must be one of bash, zsh, fish, powershell; got "tcsh"\n',
  ]);
});

/** Runs lines in a shell with the real program in its PATH. */
function inShell(shell: string, home: string, lines: string): string[] {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'journal-api'),
    `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`,
  );
  chmodSync(join(bin, 'journal-api'), 0o755);
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env['PATH']}`,
    JOURNAL_API_HOME: home,
  };
  const { stdout, stderr } = spawnSync(
    shell,
    shell === 'fish' ? ['--no-config', '-c', lines] : ['-c', lines],
    {
      env,
      encoding: 'utf8',
    },
  );
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

const has = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

test.skipIf(!has('bash'))('bash completes commands and labels by the script', () => {
  const press = (...words: string[]) =>
    `COMP_WORDS=(journal-api ${words.join(' ')}); COMP_CWORD=${words.length}; _journal_api; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const lines = [
    'eval "$(journal-api completion bash)"',
    press('expo'),
    press('get', 'trades', 'setup', '=', 'or'),
    'complete -p journal-api',
  ];
  expect(inShell('bash', journal().files.home, lines.join('\n'))).toEqual([
    'export',
    'ORB\\ long',
    'complete -o default -F _journal_api journal-api',
  ]);
});

test.skipIf(!has('zsh'))('zsh completes commands and labels by the script', () => {
  const press = (...words: string[]) =>
    `words=(journal-api ${words.join(' ')}); CURRENT=${words.length + 1}; _journal_api`;
  const lines = [
    'compdef() { }',
    'compadd() { print -l -- $found }',
    'eval "$(journal-api completion zsh)"',
    press('expo'),
    press('get', 'trades', 'setup=or'),
  ];
  expect(inShell('zsh', journal().files.home, lines.join('\n'))).toEqual([
    'export',
    'setup=ORB\\ long',
  ]);
});

test('PowerShell gets words in its own quotation marks', async () => {
  const { home } = journal().files;
  const words = ['get', 'trades', 'setup=o'];
  expect(await completed('powershell', words, home)).toEqual(["'setup=ORB long'"]);
  expect(await completed('powershell', ['get', 'trades', 'side='], home)).toContain(
    'side=long',
  );
});

test.skipIf(!has('pwsh'))('PowerShell completes commands by the script', () => {
  const lines =
    'journal-api completion powershell | Out-String | Invoke-Expression\n(TabExpansion2 "journal-api expo" 16).CompletionMatches.CompletionText';
  expect(inShell('pwsh', journal().files.home, lines)).toEqual(['export']);
});

test.skipIf(!has('fish'))('fish completes commands and labels by the script', () => {
  const lines =
    'journal-api completion fish | source\ncomplete -C "journal-api expo"\ncomplete -C "journal-api get trades setup=or"';
  expect(inShell('fish', journal().files.home, lines)).toEqual([
    'export',
    'setup=ORB long',
  ]);
});
