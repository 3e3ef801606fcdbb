/**
 * Tokens (o200k) of the tools, and of the answer to each question over MCP and HTTP, for the sample trader's year:
 * npm run build && node bench/tokens.ts
 */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { TOOL_CALLS } from '../src/mcp/skill.ts';
import { API_CALLS } from './asked.ts';
import { startDemo } from './demo.ts';

const PROGRAM = 'dist/program.cjs';
const tokens = (value: unknown) =>
  encode(typeof value === 'string' ? value : JSON.stringify(value)).length;
const row = (count: number, what: string) =>
  console.log(`${String(count).padStart(6)}  ${what}`);

const { url, key, home, stop } = await startDemo(PROGRAM);
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
  const get = async (path: string) => {
    const reply = await fetch(url + path, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${path}: ${text}`);
    return text;
  };
  console.log('\nThe same journal over HTTP:');
  for (const [question, path] of API_CALLS)
    row(tokens(await get(path)), `${question}  GET ${path}`);
  row(tokens(await get('/v1/trades?limit=100')), 'for comparison: a page of 100 trades');
} finally {
  await client.close();
  await stop();
}
