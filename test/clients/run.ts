/**
 * `npm run test:clients`: generates three clients from the served description, checks their types and compares their results on the
 * sample journal; checks the manifests of MCP bundles with the format's own tool. These tools are in a separate package, which is
 * installed first.
 */
import { deepEqual } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import type { Access, Answers } from './answers.ts';
import { checkRecipes } from './recipes.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../dist/program.cjs', import.meta.url));
const require = createRequire(import.meta.url);

/** @throws if it fails */
async function step(what: string, command: string, ...args: string[]): Promise<void> {
  console.log(what);
  const [code] = await once(
    spawn(command, args, { cwd: HERE, stdio: ['ignore', 'ignore', 'inherit'] }),
    'close',
  );
  if (code !== 0) throw new Error(`${what} ended with ${code}`);
}

async function generate(url: string): Promise<void> {
  rmSync(`${HERE}generated`, { recursive: true, force: true });
  const description = `${url}/openapi.json`;
  const node = (what: string, program: string, ...args: string[]) =>
    step(what, process.execPath, `node_modules/.bin/${program}`, ...args);
  await node(
    'openapi-typescript',
    'openapi-typescript',
    description,
    '-o',
    'generated/openapi-typescript.ts',
  );
  await node(
    'hey-api',
    'openapi-ts',
    '-i',
    description,
    '-o',
    'generated/hey-api',
    '--silent',
  );
  console.log('orval');
  const orval = require('orval') as { generate: (options: object) => Promise<void> };
  await orval.generate({
    input: { target: description },
    output: { target: `${HERE}generated/orval.ts`, client: 'fetch', baseUrl: url },
  });
  writeFileSync(`${HERE}generated/example.ts`, exampleInDocs());
  await node('types of all three', 'tsc', '-p', 'tsconfig.json');
}

/** The example of docs/agents.md, to check its types; `npm test` runs it. */
function exampleInDocs(): string {
  const docs = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8');
  const example = /```ts\n(.*?)```/s.exec(docs)?.[1] as string;
  const env = 'declare const process: { env: Record<string, string | undefined> };\n';
  return env + example.replace('./journal-api.ts', './openapi-typescript.ts');
}

/** Generated clients are written for bundlers. */
async function askWith(name: string, access: Access): Promise<Answers> {
  const outfile = `${HERE}generated/${name}.mjs`;
  await esbuild.build({
    entryPoints: [`${HERE}use-${name}.ts`],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
  });
  return ((await import(outfile)) as { ask: (access: Access) => Promise<Answers> }).ask(
    access,
  );
}

/** The expected results, fetched without a generated client. */
async function askPlainly({ url, key }: Access): Promise<Answers> {
  const get = async (path: string) => {
    const reply = await fetch(url + path, {
      headers: { Authorization: `Bearer ${key}` },
    });
    return { status: reply.status, body: (await reply.json()) as any };
  };
  const { body: trades } = await get('/v1/trades?symbol=MNQ&limit=100');
  const { body: me } = await get('/v1/me');
  const { body: summary } = await get('/v1/summary?period=90d');
  const { body: analytics } = await get('/v1/analytics/summary?period=90d');
  const { body: trade } = await get(`/v1/trades/${trades.data[0].id}`);
  const refused = await get('/v1/me?colour=red');
  return {
    trades: trades.data.map(({ id }: { id: string }) => id),
    extent: me.data.extent.trades,
    netPnl: [summary.data.performance.net_pnl, analytics.data.performance.net_pnl],
    executions: trade.data.executions.length,
    refused: [refused.status, refused.body.code],
  };
}

async function checkManifests(): Promise<void> {
  const { MCP_BUNDLE_TARGETS, mcpManifest } = await import(
    new URL('../../build/mcp-bundle.mjs', import.meta.url).href
  );
  for (const target of MCP_BUNDLE_TARGETS) {
    const manifest = `${HERE}generated/${target}.manifest.json`;
    writeFileSync(manifest, JSON.stringify(mcpManifest(target)));
    await step(
      `manifest for ${target}`,
      process.execPath,
      'node_modules/.bin/mcpb',
      'validate',
      manifest,
    );
  }
}

await step('npm ci', 'npm', 'ci', '--no-audit', '--no-fund');
const demo = spawn(process.execPath, [PROGRAM, 'demo', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  let output = '';
  for await (const text of demo.stdout.setEncoding('utf8')) {
    output += text;
    if (/KEY=\S+\n/.test(output)) break;
  }
  const access = {
    url: /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0],
    key: /KEY=(\S+)/.exec(output)?.[1],
  } as Access;
  const expected = await askPlainly(access);
  await generate(access.url);
  await checkManifests();
  for (const name of ['openapi-typescript', 'hey-api', 'orval']) {
    deepEqual(await askWith(name, access), expected, name);
    console.log(
      `${name}: ${expected.trades.length} trades and 5 other results are correct`,
    );
  }
  await checkRecipes(access);
} finally {
  demo.kill();
}
