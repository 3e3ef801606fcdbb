/** MCP over Streamable HTTP: each request by itself, with no session to keep. */
import { createMcpHandler, readRequestBody } from '@modelcontextprotocol/server';
import type { Ask } from '../http/client.ts';
import { MAX_MESSAGE_BYTES, refusal } from './message-lines.ts';
import { type McpSettings, mcpServer } from './server.ts';

/** @param ask the API, with the key of whoever sent the request */
export async function answerMcp(request: Request, ask: Ask, settings: McpSettings): Promise<Response> {
  // Nothing that a client could subscribe to ever changes.
  const handler = createMcpHandler(() => mcpServer(ask, settings), { maxSubscriptions: 0 });
  if (request.method !== 'POST') return handler.fetch(request);
  const read = await readRequestBody(request, MAX_MESSAGE_BYTES);
  if (read.tooLarge) return refused(413, -32600, `a request has at most ${MAX_MESSAGE_BYTES / 1024} KB`);
  let body: unknown;
  try {
    body = JSON.parse(read.text);
  } catch {
    return refused(400, -32700, 'the body is not JSON');
  }
  // The rate limit counts requests: each has to be one.
  if (Array.isArray(body)) return refused(400, -32600, 'send one message, not several in a list');
  return handler.fetch(request, { parsedBody: body });
}

function refused(status: number, code: number, message: string): Response {
  return Response.json(refusal(code, message), { status });
}
