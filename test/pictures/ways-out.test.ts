/** Kept pictures on their ways in and out by commands: keys, edits, backups, exports, reports, agents. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { pictureFolderOf } from '../../src/pictures/kept-pictures.ts';
import { temporaryFolder, tradeRow, World } from '../helpers.ts';
import { connectOverHttp, mcpWorld, serveMcpOverHttp } from '../mcp/connect.ts';
import { runHere } from '../program.ts';
import { keepPicture } from './kept.ts';
import { gif, gifImage, jpegWith, png, realPicture } from './sample-pictures.ts';

const SCREENSHOTS = {
  'plan.png': realPicture('chart.png'),
  'entry.jpg': jpegWith(),
  'exit.webp': realPicture('chart.webp'),
  'replay.gif': gif({}, gifImage(3, 2)),
  'week.png': png(),
};

let world: World;
let vault: string;

beforeEach(() => {
  world = new World();
  const facts = { symbol: 'MNQZ6', executed_at: '2026-11-18T14:30:00.000Z' };
  world.insert(
    'trades',
    tradeRow('t-1', {
      ...facts,
      status: 'closed',
      closed_at: '2026-11-18T15:00:00.000Z',
    }),
  );
  vault = join(temporaryFolder(), 'vault');
  mkdirSync(join(vault, '.obsidian'), { recursive: true });
  for (const [name, bytes] of Object.entries(SCREENSHOTS))
    writeFileSync(join(vault, name), bytes);
  writeFileSync(
    join(vault, '2026-11-18.md'),
    '## Plan\nWait.\n![[plan.png]]\n\n## 14:30 MNQZ6 long\nHeld. ![the entry](entry.jpg) ![[exit.webp]]\n\n## Notes\n![[replay.gif]]\n',
  );
  writeFileSync(
    join(vault, '2026-W47.md'),
    '---\ntype: week\nperiod_start: 2026-11-16\n---\n## Summary\nGood.\n![[week.png]]\n',
  );
});

const command = (...args: string[]) => runHere([...args, '--home', world.files.home]);
const take = (...args: string[]) => command('import', vault, ...args);
const kept = (journal = world.files.journal) =>
  readdirSync(pictureFolderOf(journal)).sort();

test('a week with five screenshots goes from vault to backup, restore, export and another journal', async () => {
  expect(await take()).toMatchObject({ code: 0 });
  const five = kept();
  expect(five).toHaveLength(5);

  const backup = join(temporaryFolder(), 'backup');
  expect((await command('backup', backup)).stderr).toContain('journal.db-attachments');
  expect(kept(join(backup, 'journal.db'))).toEqual(five);
  expect((await runHere(['check', '--home', backup])).code).toBe(0);

  for (const form of ['jsonl', 'csv', 'markdown']) {
    const folder = join(temporaryFolder(), form);
    const home = join(temporaryFolder(), 'home');
    expect((await command('export', folder, '--as', form)).stderr).toContain(
      '5 pictures in',
    );
    expect(await runHere(['import', folder, '--home', home])).toMatchObject({ code: 0 });
    expect([form, kept(join(home, 'journal.db'))]).toEqual([form, five]);
    expect([form, (await runHere(['check', '--home', home])).code]).toEqual([form, 0]);
  }
}, 60_000);

test('backups by --keep go with their pictures, and stay if they have other files', async () => {
  await take();
  const folder = temporaryFolder();
  for (let i = 0; i < 2; i++) await command('backup', folder, '--keep', '1');
  expect(readdirSync(folder)).toHaveLength(1);

  const [name = ''] = readdirSync(folder);
  writeFileSync(join(folder, name, 'journal.db-attachments', 'mine.txt'), 'x');
  expect((await command('backup', folder, '--keep', '1')).stderr).toContain(
    'not part of a backup',
  );
  expect(readdirSync(folder)).toHaveLength(2);
});

describe('the first picture names the keys that will show it', () => {
  test('without a terminal, --yes or --no-pictures decides; later ones ask nothing', async () => {
    world.key(['trades:read', 'journals:read'], 'me', 'key_shows');
    world.key(undefined, 'me', 'key_hides', {
      accounts: null,
      since: null,
      hides: ['money'],
    });
    world.key(['trades:read'], 'me', 'key_without');
    const refused = await take();
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining(
        'these keys would show pictures: key_shows (test); pass --yes',
      ),
    ]);
    expect(refused.stderr).not.toMatch(/key_hides|key_without/);
    expect(world.db.prepare('SELECT count(*) FROM sessions').pluck().get()).toBe(0);

    expect((await take('--dry-run')).code).toBe(0);
    expect((await take('--no-pictures')).code).toBe(0);
    expect((await command('import', 'undo')).code).toBe(0);
    expect((await take('--yes')).code).toBe(0);
    expect(kept()).toHaveLength(5);
    appendFileSync(join(vault, '2026-11-18.md'), '\n![[week.png]]\n');
    expect((await take()).code).toBe(0);
  });
});

test('annotate attaches pictures to a trade, and an undo removes them', async () => {
  const chart = join(vault, 'plan.png');
  const { code, stdout } = await command('annotate', 'last', '--attach', chart);
  expect([code, stdout]).toEqual([0, expect.stringContaining('attachments')]);
  expect(kept()).toHaveLength(1);
  const { body } = await world.ask('/v1/trades/t-1', { key: world.key() });
  expect(body.data.attachments).toMatchObject([
    { caption: 'plan', width: 16, height: 10 },
  ]);

  writeFileSync(join(vault, 'a.svg'), '<svg/>');
  expect(
    (await command('annotate', 'last', '--attach', join(vault, 'a.svg'))).stderr,
  ).toContain('it is no PNG, JPEG, WebP or GIF');
  expect((await command('import', 'undo')).code).toBe(0);
  const again = await world.ask('/v1/trades/t-1', { key: world.key() });
  expect(again.body.data.attachments).toEqual([]);
});

test('check names missing, changed, unkept and stray pictures', async () => {
  await take();
  const [first = '', second = '', ...others] = kept();
  const folder = pictureFolderOf(world.files.journal);
  rmSync(join(folder, first));
  appendFileSync(join(folder, second), 'x');
  writeFileSync(join(folder, 'note.txt'), 'x');
  const stray = `${'0'.repeat(64)}.png`;
  renameSync(join(folder, others[0] as string), join(folder, stray));

  const { code, stdout, stderr } = await command('check', '--json');
  const problems = (JSON.parse(stdout) as { problem: string }[]).map(
    ({ problem }) => problem,
  );
  expect(code).toBe(1);
  expect(problems).toEqual([
    expect.stringContaining(`${first} is missing in`),
    expect.stringContaining(`${second} has changed in`),
    expect.stringContaining(`${others[0]} is missing in`),
  ]);
  for (const name of [stray, 'note.txt'])
    expect(stderr).toContain(`${join(folder, name)} belongs to no record.`);

  // The next import writes what is missing, and removes what belongs to no record.
  writeFileSync(join(vault, '2026-11-19.md'), 'Quiet.');
  await take();
  expect(kept()).not.toContain(stray);
});

describe('a report', () => {
  const written = async (...args: string[]) => {
    const out = join(temporaryFolder(), 'report.html');
    await command('report', '2026-11', '--out', out, ...args);
    return readFileSync(out, 'utf8');
  };

  test('has captions, and with --pictures the pictures, unless they are hidden', async () => {
    await take();
    const plain = await written();
    expect(plain).toContain('the entry');
    expect(plain).not.toMatch(/data:image|\/v1\/attachments|img-src/);

    const whole = await written('--pictures');
    expect(whole.match(/src="data:image\/(?:png|jpeg|webp|gif);base64,/g)).toHaveLength(
      5,
    );
    expect(whole).toContain('img-src data:;');
    expect(whole).not.toContain('/v1/attachments');
    for (const hidden of ['money', 'texts', 'symbols'])
      expect(await written('--pictures', '--hide', hidden)).not.toMatch(/<img|the entry/);
  });
});

test('an agent gets at most 4 pictures of a trade, 3 MB together, when it asks', async () => {
  const agent = mcpWorld();
  const all = [1, 2, 3, 4, 5].map((height) => keepPicture(agent, png({ height })));
  const attachments = JSON.stringify(
    all.map(({ url }) => ({ url, caption: null, width: 4, height: 1 })),
  );
  agent.insert('trades', tradeRow('t-1', { attachments: all[0]!.attachments }));
  agent.insert('trade_journals', {
    id: 'j',
    trade_id: 't-1',
    phase: 'review',
    attachments,
  });
  const client = await connectOverHttp(
    '2.4, pinned to 2026-07-28',
    await serveMcpOverHttp(agent),
    agent.key(),
  );
  const answered = async (pictures?: boolean) =>
    (await client.callTool({
      name: 'get_trade',
      arguments: { id: 't-1', ...(pictures && { pictures }) },
    })) as {
      content: { type: string; data?: string; mimeType?: string }[];
      structuredContent: object;
    };

  expect((await answered()).content.map(({ type }) => type)).toEqual(['text']);
  const { content, structuredContent } = await answered(true);
  expect(content.map(({ type, mimeType }) => mimeType ?? type)).toEqual([
    'text',
    ...Array(4).fill('image/png'),
  ]);
  expect(Buffer.from(content[1]!.data as string, 'base64')).toEqual(
    readFileSync(join(pictureFolderOf(agent.files.journal), all[0]!.name)),
  );
  expect(structuredContent).toMatchObject({ pictures: '4 of 5, as images' });
});
