/** Other servers over the same journal, installed outside the project on first use. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type Running, startRival } from './server.ts';

const POCKETBASE = `pocketbase-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;

/** The rivals get the same versions of the project's packages. */
const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const SQLITE = dependencies['better-sqlite3'];

const PACKAGE = JSON.stringify({
  private: true,
  dependencies: {
    '@hono/node-server': devDependencies['@hono/node-server'],
    'better-sqlite3': SQLITE,
    express: '5.3.0',
    fastify: '5.12.8',
    hono: devDependencies['hono'],
    [POCKETBASE]: '0.22.20-4',
    'soul-cli': '0.8.2',
  },
  // The versions that soul-cli requires have no binaries for a current Node.
  overrides: { 'soul-cli': { 'better-sqlite3': SQLITE, bcrypt: 'npm:bcryptjs@2.4.3' } },
});

/** @returns their folder */
export function installRivals(): string {
  const folder = join(tmpdir(), 'journal-api-rivals');
  const description = join(folder, 'package.json');
  if (!existsSync(description) || readFileSync(description, 'utf8') !== PACKAGE) {
    mkdirSync(folder, { recursive: true });
    const npm = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
    writeFileSync(description, PACKAGE);
    try {
      execFileSync('npm', npm, { stdio: 'inherit', cwd: folder });
    } catch (error) {
      writeFileSync(description, '');
      throw error;
    }
  }
  cpSync('bench/rivals', folder, { recursive: true });
  return folder;
}

/** One of bench/rivals, on the current Node. */
export function startScript(
  folder: string,
  script: string,
  path: string,
  ...args: string[]
): Promise<Running> {
  return startRival(
    process.execPath,
    (port) => [join(folder, script), String(port), ...args],
    path,
  );
}

export const SOUL_PAGE = '/api/tables/trades/rows?_limit=50&_ordering=-executed_at';

/** @param journal a copy: soul may create tables in it, and its list without a user needs another index */
export function startSoul(folder: string, journal: string): Promise<Running> {
  const db = new Database(journal);
  db.exec('CREATE INDEX soul_executed ON trades (executed_at)');
  db.close();
  const soul = join(folder, 'node_modules', 'soul-cli', 'src', 'server.js');
  const args = (port: number) => [soul, '-d', journal, '-p', String(port), '--studio', 'false'];
  return startRival(process.execPath, args, SOUL_PAGE);
}

const SORTED = '/api/collections/trades/records?perPage=50&sort=-executed_at,-id&skipTotal=1';
export const POCKETBASE_PAGE = SORTED;
/** A page with a given end. */
export const POCKETBASE_PAGES = `${SORTED}&filter=(executed_at%3C'END')`;

/** PocketBase stores records in its own collections: the trades are copied to one, with an index on their order. It may use all cores. */
export async function startPocketBase(
  folder: string,
  journal: string,
  data: string,
): Promise<Running> {
  const program = join(folder, 'node_modules', POCKETBASE, 'pocketbase');
  execFileSync(program, ['migrate', 'up', '--dir', data], { stdio: 'ignore' });
  execFileSync(program, ['admin', 'create', 'bench@example.com', 'benchbench', '--dir', data], {
    stdio: 'ignore',
  });
  const serve = (port: number) => ['serve', '--dir', data, '--http', `127.0.0.1:${port}`];
  const source = new Database(journal, { readonly: true });
  const trades = source.prepare("SELECT * FROM trade_records WHERE user_id = 'me'");
  const columns = trades.columns().filter(({ name }) => name !== 'id');
  const typeOf = ({ name, type }: (typeof columns)[number]) =>
    name === 'tags' || name === 'mistakes'
      ? 'json'
      : type === 'REAL' || type === 'INTEGER'
        ? 'number'
        : 'text';
  const names = columns.map(({ name }) => name);

  const first = await startRival(program, serve, '/api/health', false);
  const post = async (path: string, body: unknown, token?: string) => {
    const headers = {
      'Content-Type': 'application/json',
      ...(token ? { Authorization: token } : {}),
    };
    const response = await fetch(`${first.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`PocketBase: ${await response.text()}`);
    return (await response.json()) as { token: string };
  };
  const login = { identity: 'bench@example.com', password: 'benchbench' };
  const { token } = await post('/api/admins/auth-with-password', login);
  const schema = columns.map((column) => {
    const type = typeOf(column);
    return { name: column.name, type, options: type === 'json' ? { maxSize: 100_000 } : {} };
  });
  const indexes = ['CREATE INDEX trades_executed ON trades (executed_at, id)'];
  await post(
    '/api/collections',
    { name: 'trades', type: 'base', schema, indexes, listRule: '', viewRule: '' },
    token,
  );
  await first.stop();

  const copy = new Database(join(data, 'data.db'));
  const insert = copy.prepare(
    `INSERT INTO trades (id, created, updated, ${names.join(', ')}) VALUES (?, datetime(), datetime(), ${names.map(() => '?').join(', ')})`,
  );
  // PocketBase has no null.
  const empty = columns.map((column) => (typeOf(column) === 'number' ? 0 : ''));
  copy.transaction(() => {
    for (const row of trades.iterate() as IterableIterator<Record<string, unknown>>) {
      insert.run(row['id'], ...names.map((name, i) => row[name] ?? empty[i]));
    }
  })();
  copy.close();
  source.close();
  return await startRival(program, serve, POCKETBASE_PAGE, false);
}
