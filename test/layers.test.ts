/** The direction of imports between source files, checked by their import lines. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

/** Folders from the top down; files directly in src/ are below them all. */
const LAYERS = [
  ['cli'],
  ['commands'],
  ['edit'],
  ['http', 'mcp', 'import', 'export', 'demo', 'web'],
  ['notes'],
  ['parse'],
  ['statements'],
  ['journal-write'],
  ['threads'],
  ['journal', 'keys'],
  ['pictures'],
  ['sqlite'],
  ['shared'],
];

/** Rooms of src/import from the top down, its own files first. Rooms of one line don't import each other. */
const IMPORT_LAYERS = [
  ['index'],
  ['steps'],
  ['files'],
  ['mapping'],
  ['formats'],
  ['tables', 'write'],
  ['fills', 'report'],
];

/** Rooms whose files are the doors for others, and whose subfolders nobody else imports from. */
const ROOMS = [
  'import/files',
  'import/fills',
  'import/formats',
  'import/mapping',
  'import/report',
  'edit',
  'import/tables',
  'import/write',
  'notes',
  'parse',
  'statements',
  'commands',
  'demo',
  'export',
  'journal-write',
  'keys',
  'pictures',
  'sqlite',
];

/** The maximum number of doors. */
const DOORS: Readonly<Record<string, number>> = {
  keys: 10,
  'journal-write': 10,
  statements: 22,
  edit: 16,
  'import/fills': 15,
  notes: 15,
  'import/mapping': 8,
  'import/tables': 9,
  parse: 8,
};

interface Import {
  from: string;
  /** A path below src, or the name of a package. */
  to: string;
  isType: boolean;
  /** Whether it is loaded only on demand. */
  isLazy: boolean;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
  .map((name) => name.split(sep).join('/'))
  .sort();

const sources = new Map(
  files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]),
);

const imports: Import[] = [...sources].flatMap(([from, source]) => [
  ...[...source.matchAll(/^(?:import|export)\s+(type\s)?[^'";]*?from\s+'([^']+)'/gm)].map(
    ([, type, to]) => ({
      from,
      to: resolve(from, to as string),
      isType: type !== undefined,
      isLazy: false,
    }),
  ),
  ...[...source.matchAll(/(?:^import\s+|\b(import\()\s*|\brequire\(\s*)'([^']+)'/gm)].map(
    ([, lazy, to]) => ({
      from,
      to: resolve(from, to as string),
      isType: false,
      isLazy: lazy !== undefined,
    }),
  ),
]);

const inside = imports.filter(({ to }) => sources.has(to));

function resolve(from: string, to: string): string {
  return to.startsWith('.')
    ? relative(SRC, join(SRC, dirname(from), to))
        .split(sep)
        .join('/')
    : to;
}

function folderOf(file: string): string {
  if (file === 'cli.ts') return 'cli';
  return file.includes('/') ? (file.split('/')[0] as string) : 'shared';
}

function layerOf(file: string): number {
  return LAYERS.findIndex((folders) => folders.includes(folderOf(file)));
}

function roomOf(file: string): string {
  const path = file.split('/');
  return path.length > 2 ? (path[1] as string) : 'index';
}

function importLayerOf(file: string): number {
  return IMPORT_LAYERS.findIndex((rooms) => rooms.includes(roomOf(file)));
}

const shown = ({ from, to }: Import) => `${from} -> ${to}`;

/** A path from a node back to itself, if any. */
function cycleIn(edges: readonly (readonly [string, string])[]): string[] | undefined {
  const next = new Map<string, string[]>();
  for (const [from, to] of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const done = new Set<string>();
  const visit = (node: string, path: string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const other of next.get(node) ?? []) {
      const found = visit(other, [...path, node]);
      if (found) return found;
    }
    done.add(node);
    return undefined;
  };
  for (const node of next.keys()) {
    const found = visit(node, []);
    if (found) return found;
  }
  return undefined;
}

/** The files that are loaded with these, without what is loaded on demand; sorted. */
function loadedBy(...entries: readonly string[]): Set<string> {
  const reached = new Set(entries);
  for (const file of reached)
    for (const { from, to, isType, isLazy } of inside)
      if (from === file && !isType && !isLazy) reached.add(to);
  return new Set([...reached].sort());
}

describe('imports', () => {
  test('are found', () => {
    expect(files.length).toBeGreaterThan(50);
    expect(inside.map(shown)).toContain('http/pipeline.ts -> http/reply.ts');
    // Every relative import is one of the files.
    expect(
      imports.filter(({ to }) => /\.tsx?$/.test(to) && !sources.has(to)).map(shown),
    ).toEqual([]);
  });

  test('every folder has a layer, and few files are outside of folders', () => {
    expect(files.filter((file) => layerOf(file) === -1)).toEqual([]);
    expect(files.filter((file) => !file.includes('/')).length).toBeLessThanOrEqual(6);
  });

  test('never go up', () => {
    expect(
      inside.filter(({ from, to }) => layerOf(to) < layerOf(from)).map(shown),
    ).toEqual([]);
  });

  test('never go up or sideways between the rooms of the import', () => {
    const within = inside.filter(
      ({ from, to }) => from.startsWith('import/') && to.startsWith('import/'),
    );
    expect(within.filter(({ from }) => importLayerOf(from) === -1).map(shown)).toEqual(
      [],
    );
    const between = within.filter(({ from, to }) => roomOf(from) !== roomOf(to));
    expect(
      between
        .filter(({ from, to }) => importLayerOf(to) <= importLayerOf(from))
        .map(shown),
    ).toEqual([]);
    expect(between.map(shown)).toContain(
      'import/formats/ibkr.ts -> import/fills/reading.ts',
    );
    // Types included: a reader of a file needs them, too.
    expect(cycleIn(within.map(({ from, to }) => [from, to]))).toBeUndefined();
  });

  test("stop at a room's doors: its subfolders are its own", () => {
    const roomOfFile = (file: string) =>
      ROOMS.find((room) => file.startsWith(`${room}/`));
    const behind = inside.filter(({ from, to }) => {
      const room = roomOfFile(to);
      return room !== undefined && dirname(to) !== room && !from.startsWith(`${room}/`);
    });
    expect(behind.map(shown)).toEqual([]);
    expect(inside.map(shown)).toContain(
      'import/fills/make-trades.ts -> import/fills/walk/walk.ts',
    );
    const doors = (room: string) => files.filter((file) => dirname(file) === room).length;
    expect(Object.keys(DOORS).filter((room) => doors(room) > DOORS[room]!)).toEqual([]);
  });

  test('OAuth has one door, which is loaded only if enabled', () => {
    const isIn = (file: string) => file.startsWith('http/oauth/');
    const entering = inside.filter(({ from, to }) => isIn(to) && !isIn(from));
    expect(entering.map((edge) => [shown(edge), edge.isLazy])).toEqual([
      ['commands/serve.ts -> http/oauth/server.ts', true],
    ]);
  });

  test('the dashboard is a client: it imports only types from the program', () => {
    const borrowed = inside.filter(
      ({ from, to }) => folderOf(from) === 'web' && folderOf(to) !== 'web',
    );
    expect(borrowed.filter(({ isType }) => !isType).map(shown)).toEqual([]);
    // The terminal formats values and names figures like the dashboard.
    const lent = inside.filter(
      ({ from, to }) => folderOf(from) !== 'web' && folderOf(to) === 'web',
    );
    expect(new Set(lent.map(({ to }) => to))).toEqual(
      new Set([
        'web/cash-in-words.ts',
        'web/days.ts',
        'web/figures.ts',
        'web/format.ts',
        'web/limits-in-words.ts',
        'web/realised-in-words.ts',
        'web/types.ts',
      ]),
    );
  });

  test('have no cycle, neither between files nor between folders', () => {
    expect(cycleIn(inside.map(({ from, to }) => [from, to]))).toBeUndefined();
    const between = inside
      .map(({ from, to }) => [folderOf(from), folderOf(to)] as const)
      .filter(([from, to]) => from !== to);
    expect(cycleIn(between)).toBeUndefined();
  });

  test('import list loads neither the service nor a format', () => {
    const reached = loadedBy('commands/import.ts');
    expect([...reached].filter((file) => /^(http|import\/formats)\//.test(file))).toEqual(
      [],
    );
    expect(reached).toContain('statements/import-list.ts');
  });

  // Besides the lists, which each of them loads.
  test.each<[string, string[], number]>([
    ['import undo', ['edit/undo.ts'], 64],
    [
      "an import of Interactive Brokers' file",
      ['commands/shared/run-import.ts', 'import/formats/ibkr-flex.ts'],
      125,
    ],
    ['fill', ['edit/fill.ts'], 80],
    ['summary', ['commands/summary.ts'], 121],
  ])('%s loads few files', (_, entries, most) => {
    const loaded = [...loadedBy(...entries)];
    const others = loaded.filter((file) => !file.startsWith('journal/resources/'));

    const advice =
      'load what few files need on demand; raise the number only for what the command always needs';
    expect(others.length, advice).toBeLessThanOrEqual(most);
  });

  test('an import loads no reader, notes or analytics until a file needs them', () => {
    const reached = [...loadedBy('commands/shared/run-import.ts')];
    const eagerOf = (room: string) =>
      reached.filter((file) => file.startsWith(`${room}/`));
    const readers = ['index', 'known', 'platforms', 'recognisers'];
    expect(eagerOf('import/formats')).toEqual(
      readers.map((name) => `import/formats/${name}.ts`),
    );
    expect(eagerOf('notes')).toEqual(['notes/missed-markets.ts', 'notes/note.ts']);
    expect(eagerOf('pictures/formats')).toEqual([]);
    expect(eagerOf('journal/analytics')).toEqual(['journal/analytics/account-rules.ts']);
  });

  test('a cycle would be found', () => {
    expect(
      cycleIn([
        ['a', 'b'],
        ['b', 'c'],
        ['d', 'a'],
        ['c', 'b'],
      ]),
    ).toEqual(['b', 'c', 'b']);
  });
});

describe('only', () => {
  const users = (packageName: RegExp) =>
    imports
      .filter(({ to, isType }) => packageName.test(to) && !isType)
      .map(({ from }) => from);

  test('src/threads knows that there are threads', () => {
    const files = new Set(users(/^(node:)?worker_threads$/));
    expect([...files].sort()).toEqual(['threads/pool.ts', 'threads/thread.ts']);
  });

  test('src/http imports Hono', () => {
    const known = imports
      .filter(({ to }) => /^(hono|@hono)(\/|$)/.test(to))
      .map(({ from }) => from);
    expect(known.length).toBeGreaterThan(0);
    expect(known.filter((file) => !file.startsWith('http/'))).toEqual([]);
  });

  test('the command line and the settings import commander', () => {
    expect(
      users(/^commander$/).filter(
        (file) => !/^(cli\.ts|config\.ts|commands\/.*)$/.test(file),
      ),
    ).toEqual([]);
  });

  test('three places open a database: the read-only file, the key store, the journal writer', () => {
    const openers = users(/^(better-sqlite3|node:sqlite)$/);
    expect(
      openers.filter(
        (file) => !/^(sqlite\/.*|keys\/store\.ts|journal-write\/.*)$/.test(file),
      ),
    ).toEqual([]);
    const opens = [...sources]
      .filter(([, source]) => /new Database\(/.test(source))
      .map(([file]) => file);
    expect(opens).toEqual([
      'journal-write/open.ts',
      'keys/store.ts',
      'sqlite/handles.ts',
    ]);
  });

  test('code that serves requests cannot reach code that writes records', () => {
    const reached = new Set(['http/app.ts', 'http/server.ts', 'commands/serve.ts']);
    for (const file of reached)
      for (const { from, to } of inside) if (from === file) reached.add(to);
    const writes = /^(?:import|notes|journal-write)\/|^pictures\/keeping/;
    expect([...reached].filter((file) => writes.test(file))).toEqual([]);
    expect(reached.size).toBeGreaterThan(30);
  });

  test('the import and its tables know the kept bytes of files: no code that serves requests or agents', () => {
    const known = [...sources].filter(([, source]) =>
      /kept_files|import_files/.test(source),
    );
    expect(known.map(([file]) => file)).toEqual(['statements/imports/kept-files.ts']);
    const reached = new Set([
      'http/app.ts',
      'commands/serve.ts',
      'commands/mcp.ts',
      'export/index.ts',
    ]);
    const isBeyond = (to: string) => /^(statements|import|notes)\//.test(to);
    for (const file of reached)
      for (const { from, to } of inside)
        if (from === file && !isBeyond(to)) reached.add(to);
    const entering = inside.filter(
      ({ from, to, isType }) => reached.has(from) && isBeyond(to) && !isType,
    );
    expect(new Set(entering.map(({ from }) => folderOf(from)))).toEqual(
      new Set(['export']),
    );
  });

  test('the reader opens its file for reading', () => {
    const calls = sources.get('sqlite/handles.ts')?.match(/new Database\([^)]*\)/g);
    const isReadOnly = expect.stringContaining('readonly: true');
    expect(calls).toEqual([isReadOnly, isReadOnly]);
  });

  test('the settings read the environment', () => {
    const readers = [...sources].filter(([, source]) =>
      /process\s*\.\s*env\b|process\[|\{[^}]*\benv\b[^}]*\} = process/.test(source),
    );
    expect(readers.map(([file]) => file)).toEqual(['config.ts']);
  });
});
