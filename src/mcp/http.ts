/** MCP over Streamable HTTP, without sessions. */
import { createMcpHandler, readRequestBody } from '@modelcontextprotocol/server';
import type { Ask } from '../http/client.ts';
import { MAX_MESSAGE_BYTES, refusal } from './message-lines.ts';
import { type McpSettings, mcpServer } from './server.ts';

/** @param ask the API, with the key of the request */
export async function respondToMcp(request: Request, ask: Ask, settings: McpSettings): Promise<Response> {
  // There is nothing to subscribe to: tools, prompts and resources never change.
  const handler = createMcpHandler(() => mcpServer(ask, settings), { maxSubscriptions: 0 });
  if (request.method !== 'POST') return handler.fetch(request);
  const read = await readRequestBody(request, MAX_MESSAGE_BYTES);
  if (read.tooLarge)
    return refused(413, -32600, `the request is longer than ${MAX_MESSAGE_BYTES / 1024} KB; shorten it`);
  let body: unknown;
  try {
    body = JSON.parse(read.text);
  } catch {
    return refused(400, -32700, 'the body is not JSON; send one JSON-RPC message');
  }
  // The rate limit counts requests, so a request is one message.
  if (Array.isArray(body)) return refused(400, -32600, 'send one message, not several in a list');
  return handler.fetch(request, { parsedBody: body });
}

function refused(status: number, code: number, message: string): Response {
  return Response.json(refusal(code, message), { status });
}
