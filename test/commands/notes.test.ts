/** The way of a person with a folder of notes: write, import, see, correct, import again. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ImportHome, TRADE } from '../import/home.ts';
import { run, runHere } from '../program.ts';

const NOTE = `# Monday
Mood: ok

## META
setup:: Fade
Took it too early.

MNQ short: chased
`;

class Vault extends ImportHome {
  constructor() {
    super();
    this.withUser('me', { timezone: 'America/New_York' });
    const trade = (id: string, symbol: string, executed_at: string, side = 'long') => ({
      ...TRADE,
      id,
      symbol,
      side,
      executed_at,
      closed_at: '2026-11-02T20:00:00Z',
    });
    this.import(
      this.lines(
        'trades.jsonl',
        trade('m1', 'META', '2026-11-02T14:41:00Z'),
        trade('m2', 'META', '2026-11-02T18:02:00Z'),
        trade('q1', 'MNQ', '2026-11-02T15:30:00Z', 'short'),
      ),
    );
    mkdirSync(this.path('vault'));
  }

  save(text: string): void {
    writeFileSync(this.path('vault/2026-11-02.md'), text);
  }

  take(...args: string[]) {
    return runHere(['import', this.path('vault'), '--home', this.folder, ...args]);
  }

  /** What import prints above its table. */
  async read(): Promise<string[]> {
    const { code, stdout } = await this.take();
    expect(code).toBe(0);
    return stdout.slice(0, stdout.indexOf('FILE ')).trimEnd().split('\n');
  }
}

test('what an import reads back says what to correct, until all is read', async () => {
  const vault = new Vault();
  vault.save(NOTE);
  expect(await vault.read()).toEqual([
    '2026-11-02.md: mood; 11 words. Stayed text:',
    "  line 4 '## META' (2 trades fit: 09:41, 13:02; add the time, as in 09:41 META)",
    "  line 8 'MNQ short: chased' (another trade needs a heading, as in ## 10:30 MNQ short)",
  ]);

  vault.save(
    NOTE.replace('## META', '## 09:41 META').replace(
      'MNQ short: ',
      '## 10:30 MNQ short\n',
    ),
  );
  expect(await vault.read()).toEqual([
    '2026-11-02.md: META (1 field), MNQ; mood; 6 words',
  ]);
  expect(await vault.read()).toEqual(['1 note unchanged']);
  expect(vault.rows("SELECT setup FROM trades WHERE id = 'm1'")).toEqual([
    { setup: 'Fade' },
  ]);
});

test('--json has what was read back of each note', async () => {
  const vault = new Vault();
  vault.save(NOTE);
  const { stdout } = await vault.take('--json');
  expect(JSON.parse(stdout).files).toMatchObject([
    {
      problems: [],
      notes_unchanged: 0,
      read_back: [
        {
          file: vault.path('vault/2026-11-02.md'),
          day: '2026-11-02',
          trades: [],
          fields: ['mood'],
          missed: 0,
          words: 11,
          pictures: 0,
          stayed_text: [
            { line: 4, text: '## META', reason: expect.stringMatching(/^2 trades fit/) },
            { line: 8, text: 'MNQ short: chased', reason: expect.any(String) },
          ],
        },
      ],
    },
  ]);
});

test('a value that is wrong is an error, and what the note stated before stays', async () => {
  const vault = new Vault();
  vault.save('## 09:41 META\nrating:: 3\nsetup:: Fade\n');
  await vault.read();
  vault.save('## 09:41 META\nrating:: 9\nsetup:: Gap\n');
  const { code, stdout, stderr } = await vault.take();
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining('2026-11-02.md: META (1 field)\n'),
  ]);
  expect(stderr).toContain('2026-11-02.md:2: rating: must be 1 to 5');
  expect(vault.rows("SELECT rating, setup FROM trades WHERE id = 'm1'")).toEqual([
    { rating: 3, setup: 'Gap' },
  ]);
});

test('fills that come later are told with the note that they complete', async () => {
  const vault = new Vault();
  vault.save('## 15:00 SPY long\nsetup:: Gap\n');
  const [line = ''] = await vault.read();
  expect(line).toContain('the journal has no trade in SPY; once its fills are imported');

  const args = ['--market', 'stock', '--home', vault.folder];
  // In a process of their own, which loads the reader of notes for a journal with notes only.
  const { stderr } = await run(['fill', '2026-11-02 15:00 buy 10 SPY 600', ...args]);
  const note = vault.path('vault/2026-11-02.md');
  expect(stderr).toContain(
    `read again, since its trade is here: ${note}: SPY (1 field)\n`,
  );
  expect(readFileSync(note, 'utf8')).toContain('## 15:00 SPY long');
});

test('so are trades that are imported later', async () => {
  const vault = new Vault();
  vault.save('## 10:00 HOOD long\nsetup:: Gap\n');
  await vault.read();

  const executed_at = '2026-11-02T15:00:00Z';
  const path = vault.lines('trades.jsonl', {
    ...TRADE,
    id: 'h1',
    symbol: 'HOOD',
    executed_at,
  });
  const { stdout } = await run(['import', path, '--json', '--home', vault.folder]);
  const { files } = JSON.parse(stdout);
  expect(files[0].read_again).toMatchObject([
    { trades: [{ id: 'h1', fields: ['setup'] }] },
  ]);
});

test('neither a key nor control characters of a note reach the terminal', async () => {
  const vault = new Vault();
  vault.save('token: jak_0123456789abcdef\nclear: \u001b[2J\n');
  const { stdout } = await vault.take();
  expect(stdout).toContain("line 1 'token: jak_…'");
  expect(stdout).toContain("line 2 'clear: \\x1b[2J'");
});
