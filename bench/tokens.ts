/**
 * How many tokens (o200k) an agent pays for the tools, and for the answer to each question of README, of the sample trader's year:
 * npm run build && node bench/tokens.ts
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { TOOL_CALLS } from './questions.ts';

const PROGRAM = 'dist/program.cjs';
const home = mkdtempSync(join(tmpdir(), 'journal-api-tokens-'));
const tokens = (value: unknown) => encode(typeof value === 'string' ? value : JSON.stringify(value)).length;
const row = (count: number, what: string) => console.log(`${String(count).padStart(6)}  ${what}`);

const demo = spawn(process.execPath, [PROGRAM, 'demo', '--home', home, '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let said = '';
for await (const text of demo.stdout.setEncoding('utf8')) {
  said += text;
  if (said.includes('Stop with Ctrl-C')) break;
}
const key = /KEY=(\S+)/.exec(said)?.[1] as string;
const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] as string;

const client = new Client({ name: 'bench', version: '1' });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', '--home', home, '--log', 'off'],
    env: { JOURNAL_API_KEY: key },
  }),
);
try {
  const { tools } = await client.listTools();
  row(tokens(tools), `definitions of the ${tools.length} tools`);
  row(tokens(client.getInstructions() ?? ''), 'instructions');
  row(tokens(await (await fetch(`${url}/llms.txt`)).text()), '/llms.txt');
  for (const [question, name, given] of TOOL_CALLS) {
    const { content } = await client.callTool({ name, arguments: given });
    const [{ text }] = content as unknown as [{ text: string }];
    row(tokens(text), `${question}  ${name} ${JSON.stringify(given)}`);
  }
  const headers = { Authorization: `Bearer ${key}` };
  const page = await (await fetch(`${url}/v1/trades?limit=100`, { headers })).text();
  row(tokens(page), 'beside them: a page of 100 trades over HTTP');
} finally {
  await client.close();
  demo.kill();
  await once(demo, 'close');
  rmSync(home, { recursive: true, force: true });
}
