/** Pictures of notes: which are kept, what states them, and when they go. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rereadFiles } from '../../src/edit/reread.ts';
import { undoImport } from '../../src/edit/undo.ts';
import type { ImportReport } from '../../src/import/report/report.ts';
import { findUser, openJournal } from '../../src/journal/journal.ts';
import { printedDay } from '../../src/notes/written-notes.ts';
import { pictureFolderOf } from '../../src/pictures/kept-pictures.ts';
import { cleanedPicture } from '../../src/pictures/picture.ts';
import { DAY, sharedByTests } from '../helpers.ts';
import { ImportHome, TRADE } from '../import/home.ts';
import {
  chunk,
  gif,
  gifImage,
  jpegWith,
  png,
  pngOfSize,
  realPicture,
  segment,
} from './sample-pictures.ts';

const GIF = gif({}, gifImage(3, 2));

const NOTE = `Slept well.

![[chart.png]]

## 14:30 AAPL long
lesson:: wait

Held it. ![entry](img/entry%20one.jpg "the entry")

## Missed trades
### 15:00 MNQ short
![[missed.gif|MNQ missed|300]]
`;

class Vault extends ImportHome {
  /** They hold pictures, too. */
  override readonly backups = undefined;
  report: ImportReport | undefined;

  constructor() {
    super();
    this.withUser();
    this.import(this.lines('trades.jsonl', TRADE));
    mkdirSync(this.path('vault/.obsidian'), { recursive: true });
  }

  get vault(): string {
    return this.path('vault');
  }

  put(name: string, content: string | Buffer): string {
    const path = join(this.vault, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** A note of the day of the trade. */
  note(text: string): string {
    return this.put('Journal/2026-11-02.md', text);
  }

  take(options = {}) {
    this.notes = [];
    this.report = this.import(this.vault, options);
    return this.report;
  }

  kept(): string[] {
    const folder = pictureFolderOf(this.journal);
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  }

  attachments(resource: string): unknown[] {
    return (this.everything()[resource] ?? []).flatMap(
      (row) => row['attachments'] as unknown[],
    );
  }

  undo(id?: number) {
    return undoImport(this.target, id);
  }

  asText(): string[] {
    const stayed = this.report?.files.flatMap(({ read_back = [] }) =>
      read_back.flatMap(({ file, stayed_text }) =>
        stayed_text.map(
          ({ line, text, reason }) => `${file}:${line}: ${text}: ${reason}`,
        ),
      ),
    );
    return stayed ?? [];
  }
}

function withPictures(): Vault {
  const vault = new Vault();
  vault.put('Journal/chart.png', png({}, [chunk('tEXt', 'Comment\0SECRET')]));
  vault.put('Journal/img/entry one.jpg', jpegWith(segment(0xfe, 'SECRET')));
  vault.put('deep/er/missed.gif', GIF);
  vault.note(NOTE);
  return vault;
}

const nameOf = (bytes: Buffer) => {
  const { sha256, type } = cleanedPicture(bytes);
  return `${sha256}.${type}`;
};

const CHART = nameOf(png());
const ENTRY = nameOf(realPicture('chart.jpg'));
const MISSED = nameOf(GIF);

describe('pictures of a note', () => {
  test('are kept without metadata, each by the record whose section shows it', () => {
    const vault = withPictures();
    vault.take();
    expect(vault.asText()).toEqual([]);
    expect(vault.attachments('sessions')).toEqual([
      { url: `/v1/attachments/${CHART}`, caption: 'chart', width: 4, height: 3 },
      { url: `/v1/attachments/${MISSED}`, caption: 'MNQ missed', width: 3, height: 2 },
    ]);
    expect(vault.attachments('trade-journals')).toEqual([
      { url: `/v1/attachments/${ENTRY}`, caption: 'entry', width: 16, height: 10 },
    ]);
    expect(vault.everything()['sessions']).toMatchObject([{ notes: 'Slept well.' }]);
    expect(vault.everything()['trade-journals']).toMatchObject([
      { body: 'Held it.', lesson: 'wait' },
    ]);

    expect(vault.kept()).toEqual([CHART, ENTRY, MISSED].sort());
    const folder = pictureFolderOf(vault.journal);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of vault.kept()) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      expect(readFileSync(join(folder, name)).includes('SECRET')).toBe(false);
    }
  });

  test('change nothing when the note is imported again, or read from its kept bytes', () => {
    const vault = withPictures();
    vault.take();
    const before = vault.everything();
    expect(vault.take().files.map(({ added, changed }) => [added, changed])).toEqual([
      [0, 0],
    ]);

    writeFileSync(join(vault.vault, 'Journal/chart.png'), 'gone');
    vault.write('UPDATE imports SET revision = revision - 1');
    const report = rereadFiles(vault.target);
    expect([report.different, report.failed]).toEqual([[], []]);
    expect(vault.everything()).toEqual(before);
    expect(vault.kept()).toHaveLength(3);
  });

  test('go with the last line that states them, and come back with an undo', () => {
    const vault = withPictures();
    vault.take();
    vault.note(NOTE.replace('![[chart.png]]', ''));
    vault.take();
    expect(vault.attachments('sessions')).toHaveLength(1);
    // The first line still states it.
    expect(vault.kept()).toContain(CHART);

    vault.now += DAY;
    vault.undo();
    expect(vault.attachments('sessions')).toHaveLength(2);
    vault.undo();
    expect(vault.attachments('sessions')).toEqual([]);
    expect(vault.kept()).toEqual([]);
    expect(existsSync(pictureFolderOf(vault.journal))).toBe(false);
    // A backup from before the undo states them.
    expect(readdirSync(vault.path('backups/attachments')).sort()).toEqual(
      [CHART, ENTRY, MISSED].sort(),
    );
    vault.note(NOTE);
    vault.take();
    expect(vault.kept()).toHaveLength(3);
  });

  test('that were replaced under their name are those of the next import', () => {
    const vault = withPictures();
    vault.take();
    vault.put('Journal/chart.png', png({ width: 9 }));
    vault.take();
    expect(vault.attachments('sessions')).toMatchObject([{ width: 3 }, { width: 9 }]);
    vault.undo();
    expect(vault.attachments('sessions')).toMatchObject([{ width: 4 }, { width: 3 }]);
  });

  test('stay while another note shows them', () => {
    const vault = withPictures();
    vault.take();
    vault.put('Journal/2026-11-03.md', 'Again ![[chart.png]]');
    vault.take();
    vault.undo(2);
    expect(vault.kept()).toEqual([CHART]);
  });

  test('are printed for an edit, which may delete, describe or add some', () => {
    const vault = withPictures();
    vault.take();
    const user = openJournal(vault.journal).read((reader) => findUser(reader, 'me'));
    const text = printedDay(vault.journal, user as never, '2026-11-02');
    expect(text).toContain(`![chart](/v1/attachments/${CHART})`);
    expect(text).toContain(`![entry](/v1/attachments/${ENTRY})`);

    const from = vault.path('shots');
    mkdirSync(from);
    writeFileSync(join(from, 'exit.png'), realPicture('chart.png'));
    const edited = text
      .replace(`![chart](/v1/attachments/${CHART})`, '![[exit.png]]')
      .replace('![entry]', '![better]');
    const file = vault.file('edited.md', edited);
    vault.import(file, {
      printed: { file, path: 'edited.md', text },
      pictures: { from },
    });
    expect(vault.attachments('sessions')).toMatchObject([
      { caption: 'exit', width: 16 },
      { caption: 'MNQ missed' },
    ]);
    expect(vault.attachments('trade-journals')).toMatchObject([
      { caption: 'better', width: 16 },
    ]);
    expect(vault.kept()).toHaveLength(4);

    vault.undo();
    expect(vault.attachments('sessions')).toMatchObject([
      { caption: 'chart' },
      { caption: 'MNQ missed' },
    ]);
    expect(vault.attachments('trade-journals')).toMatchObject([{ caption: 'entry' }]);
    expect(vault.kept()).toHaveLength(3);
  });

  test('are left as text with --no-pictures', () => {
    const vault = withPictures();
    vault.take({ pictures: false });
    expect(vault.kept()).toEqual([]);
    expect(vault.everything()['sessions']).toMatchObject([
      { notes: 'Slept well.\n\n![[chart.png]]', attachments: [] },
    ]);
  });

  test('of a note with a type are those of its record', () => {
    const vault = withPictures();
    vault.put('x.png', realPicture('chart.png'));
    vault.put(
      'Week.md',
      '---\ntype: weekly-review\nperiod_start: 2026-11-02\nperiod_end: 2026-11-08\n---\nGood. ![[x.png]]',
    );
    vault.take();
    expect(vault.everything()['weekly-reviews']).toMatchObject([
      { summary: 'Good.', attachments: [{ caption: 'x', width: 16 }] },
    ]);
  });
});

function hostileVault(): Vault {
  const vault = new Vault();
  writeFileSync(vault.path('outside.png'), png());
  const journal = join(vault.vault, 'Journal');
  mkdirSync(join(journal, '.hidden'), { recursive: true });
  mkdirSync(join(journal, 'folder.png'));
  symlinkSync(vault.path('outside.png'), join(journal, 'link.png'));
  symlinkSync(vault.folder, join(journal, 'linked'));
  for (const name of [
    'a/twice.png',
    'b/twice.png',
    'Journal/.hidden/a.png',
    '.trash/hidden-only.png',
  ])
    vault.put(name, png());
  vault.put('drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  vault.put('script.png', '<script>alert(1)</script>');
  vault.put('bomb.png', pngOfSize(16_384, 16_384));
  return vault;
}

const UP = '".." isn\'t followed; ![[outside.png]] finds it by its name';
const OUTSIDE = 'only paths within the folder of notes are followed';

describe("what isn't kept stays text, and is named", () => {
  const cases: readonly (readonly [
    what: string,
    reference: string,
    why: string | RegExp,
  ])[] = [
    ['a path out of the folder', '![a](../../outside.png)', UP],
    ['an encoded one', '![a](%2e%2e/%2e%2e/outside.png)', UP],
    ['one with backslashes', '![a](..\\..\\outside.png)', UP],
    ['an absolute path', '![a](/etc/passwd)', OUTSIDE],
    ['an address of a file', '![a](file:///etc/passwd)', OUTSIDE],
    ['a drive', '![a](C:/secret.png)', OUTSIDE],
    ['a UNC path', '![a](\\\\server\\share\\a.png)', OUTSIDE],
    ['a home folder', '![a](~/a.png)', OUTSIDE],
    ['a link', '![a](link.png)', /is a link/],
    ['a folder that is a link', '![a](linked/outside.png)', /replaced|link/],
    ['a hidden folder', '![a](.hidden/a.png)', 'it is in a hidden folder'],
    ['a name in a hidden folder', '![[hidden-only.png]]', 'there is no such file'],
    ['several of a name', '![[twice.png]]', /2 files have this name: .*a.twice\.png/],
    ['a missing one', '![[nowhere.png]]', 'there is no such file'],
    ['an SVG', '![[drawing.svg]]', 'it is no PNG, JPEG, WebP or GIF'],
    [
      'a script with the name of a picture',
      '![[script.png]]',
      'it is no PNG, JPEG, WebP or GIF',
    ],
    ['a bomb', '![[bomb.png]]', /50 million/],
    ['a folder', '![a](folder.png)', /neither a file nor a pipe/],
    [
      'a picture that the journal lacks',
      `![a](/v1/attachments/${'0'.repeat(64)}.png)`,
      'the journal keeps no such picture',
    ],
  ];

  const prepared = sharedByTests(async () => hostileVault());

  test.each(cases)('%s', (_, reference, why) => {
    const vault = prepared();
    vault.note(`Slept.\n\nBefore ${reference} after`);
    vault.take();
    const [line] = vault.asText();
    expect(line).toMatch(why);
    expect(line).toContain(`2026-11-02.md:3: ${reference}`);
    expect(vault.everything()['sessions']).toMatchObject([
      { notes: `Slept.\n\nBefore ${reference} after`, attachments: [] },
    ]);
    expect(vault.kept()).toEqual([]);
  });

  test('code, notes and pictures of the web', () => {
    const vault = prepared();
    vault.note(
      '```\n![[a/twice.png]]\n```\n![[2026-11-01]] ![b](https://example.com/b.png)',
    );
    vault.take();
    expect(vault.asText()).toEqual([]);
    expect(vault.kept()).toEqual([]);
  });
});

test('a picture named a thousand times is kept once, and 200 different ones of a note', () => {
  const vault = new Vault();
  vault.put('same.png', png());
  vault.note('![[same.png]] '.repeat(1000));
  vault.take();
  expect(vault.kept()).toHaveLength(1);
  expect(vault.attachments('sessions')).toHaveLength(1);

  const names = Array.from({ length: 203 }, (_, i) => `p${i}.png`);
  for (const [i, name] of names.entries())
    vault.put(name, png({ width: 1 + (i % 20), height: 1 + i }));
  vault.note(names.map((name) => `![[${name}]]`).join('\n'));
  vault.take();
  expect(vault.kept()).toHaveLength(201);
  expect(vault.asText()).toHaveLength(3);
  expect(vault.asText()[0]).toContain('a note has at most 200 pictures');
});

test('more than 2,000 pictures need --yes, and their size is named first', () => {
  const vault = new Vault();
  for (let note = 0; note < 11; note++) {
    const names = Array.from({ length: 190 }, (_, i) => `n${note}-${i}.png`);
    for (const [i, name] of names.entries())
      vault.put(`img/${name}`, png({ width: 1 + note, height: 1 + i }));
    vault.put(
      `2026-10-${10 + note}.md`,
      names.map((name) => `![](img/${name})`).join('\n'),
    );
  }
  expect(() => vault.take()).toThrow(
    /shows 2090 new pictures, \d\.\d MB; pass --yes to keep them all/,
  );
  expect(vault.kept()).toEqual([]);
}, 60_000);

test('a dry run keeps nothing', () => {
  const vault = withPictures();
  vault.take({ dryRun: true });
  expect(vault.kept()).toEqual([]);
  expect(vault.attachments('sessions')).toEqual([]);
});

test("an import whose picture can't be written changes nothing", () => {
  const vault = withPictures();
  writeFileSync(pictureFolderOf(vault.journal), 'in the way');
  const before = vault.hash();
  expect(() => vault.take()).toThrow(/can't be written/);
  expect(vault.hash()).toBe(before);
  chmodSync(pictureFolderOf(vault.journal), 0o600);
});
