/**
 * MCP over standard input and output, for the one client that started this process; and
 * over Streamable HTTP, without sessions.
 */
import { type Readable, Transform, type Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import {
  createMcpHandler,
  parseJSONRPCMessage,
  readRequestBody,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Ask } from '../http/client.ts';
import { type McpSettings, mcpServer } from './server.ts';

/** @returns a function that stops the server */
export function serveMcp(
  ask: Ask,
  settings: McpSettings,
  input: Readable = process.stdin,
  output: Writable = process.stdout,
): () => Promise<void> {
  const lines = input.pipe(
    messageLines((answer) => output.write(`${JSON.stringify(answer)}\n`)),
  );
  const transport = new StdioServerTransport(lines, output);
  const serving = serveStdio(() => mcpServer(ask, settings), {
    transport,
    maxSubscriptions: 0,
  });
  return () => serving.close();
}

/** @param ask the API, with the key of the request */
export async function respondToMcp(
  request: Request,
  ask: Ask,
  settings: McpSettings,
): Promise<Response> {
  // There is nothing to subscribe to: tools, prompts and resources never change.
  const handler = createMcpHandler(() => mcpServer(ask, settings), {
    maxSubscriptions: 0,
  });
  if (request.method !== 'POST') return handler.fetch(request);

  const read = await readRequestBody(request, MAX_MESSAGE_BYTES);
  if (read.tooLarge)
    return refused(
      413,
      -32600,
      `the request is longer than ${MAX_MESSAGE_BYTES / 1024} KB; shorten it`,
    );

  let body: unknown;
  try {
    body = JSON.parse(read.text);
  } catch {
    return refused(400, -32700, 'the body is not JSON; send one JSON-RPC message');
  }

  // The rate limit counts requests, so a request is one message.
  if (Array.isArray(body))
    return refused(400, -32600, 'send one message, not several in a list');
  return handler.fetch(request, { parsedBody: body });
}

function refused(status: number, code: number, message: string): Response {
  return Response.json(refusal(code, message), { status });
}

/** Arguments are short. */
export const MAX_MESSAGE_BYTES = 256 * 1024;

/**
 * Passes on messages from standard input and refuses other lines, which the SDK drops
 * silently: their sender would wait for ever.
 * @param refuse receives a JSON-RPC error for each line that isn't a message
 */
function messageLines(refuse: (answer: object) => void): Transform {
  const decoder = new StringDecoder('utf8');
  let begun = '';
  let isTooLong = false;

  const append = (part: string) => {
    begun += part;
    isTooLong ||= begun.length > MAX_MESSAGE_BYTES;
    // A line that is too long isn't kept.
    if (isTooLong) begun = '';
  };

  /** The message of a line that has ended, if it is one. */
  const takeMessage = () => {
    const line = begun;
    const answer = isTooLong ? refusal(-32600, TOO_LONG) : refusalOf(line);
    begun = '';
    isTooLong = false;
    if (answer) refuse(answer);
    return answer || line.trim() === '' ? undefined : `${line}\n`;
  };

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const [first = '', ...later] = decoder.write(chunk).split('\n');
      append(first);
      for (const part of later) {
        const message = takeMessage();
        if (message !== undefined) this.push(message);
        append(part);
      }

      done();
    },
  });
}

const TOO_LONG = `the message is longer than ${MAX_MESSAGE_BYTES / 1024} KB; shorten it`;

/** The error for a line; undefined for a message and for an empty line. */
function refusalOf(line: string): object | undefined {
  if (line.trim() === '') return undefined;

  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return refusal(-32700, 'the line is not JSON; send one JSON-RPC message');
  }

  if (Array.isArray(message))
    return refusal(-32600, 'send one message, not several in a list');
  try {
    parseJSONRPCMessage(message);
    return undefined;
  } catch {
    return refusal(-32600, 'this is not a JSON-RPC 2.0 message', idOf(message));
  }
}

/** The message's id, if it is a valid one; other values aren't repeated. */
function idOf(message: unknown): string | number | null {
  const id =
    typeof message === 'object' && message !== null && 'id' in message
      ? message.id
      : null;
  const isId =
    typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));
  return isId ? id : null;
}

function refusal(
  code: number,
  message: string,
  id: string | number | null = null,
): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
