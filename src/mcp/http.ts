/** MCP over Streamable HTTP: each request by itself, with no session to keep. */
import { createMcpHandler, readRequestBody } from '@modelcontextprotocol/server';
import type { Ask } from '../http/client.ts';
import { type McpSettings, mcpServer } from './server.ts';

/** Arguments are short. */
const MAX_BODY_BYTES = 256 * 1024;

/** @param ask the API, with the key of whoever sent the request */
export async function answerMcp(request: Request, ask: Ask, settings: McpSettings): Promise<Response> {
  // Nothing that a client could subscribe to ever changes.
  const handler = createMcpHandler(() => mcpServer(ask, settings), { maxSubscriptions: 0 });
  if (request.method !== 'POST') return handler.fetch(request);
  const read = await readRequestBody(request, MAX_BODY_BYTES);
  if (read.tooLarge) return refusal(413, -32600, `a request has at most ${MAX_BODY_BYTES / 1024} KB`);
  let body: unknown;
  try {
    body = JSON.parse(read.text);
  } catch {
    return refusal(400, -32700, 'the body is not JSON');
  }
  // The rate limit counts requests: each has to be one.
  if (Array.isArray(body)) return refusal(400, -32600, 'send one message, not several in a list');
  return handler.fetch(request, { parsedBody: body });
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}
