/** MCP over standard input and output, for the one client that started this process. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Ask } from '../http/client.ts';
import { type McpSettings, mcpServer } from './server.ts';

/** @returns what ends it */
export function serveMcp(ask: Ask, settings: McpSettings): () => Promise<void> {
  const serving = serveStdio(() => mcpServer(ask, settings), { maxSubscriptions: 0 });
  return () => serving.close();
}
