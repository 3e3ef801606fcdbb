/** MCP over standard input and output, for the one client that started this process. */
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Ask } from '../http/client.ts';
import { messageLines } from './message-lines.ts';
import { type McpSettings, mcpServer } from './server.ts';

/** @returns a function that stops the server */
export function serveMcp(
  ask: Ask,
  settings: McpSettings,
  input: Readable = process.stdin,
  output: Writable = process.stdout,
): () => Promise<void> {
  const lines = input.pipe(messageLines((answer) => output.write(`${JSON.stringify(answer)}\n`)));
  const transport = new StdioServerTransport(lines, output);
  const serving = serveStdio(() => mcpServer(ask, settings), { transport, maxSubscriptions: 0 });
  return () => serving.close();
}
