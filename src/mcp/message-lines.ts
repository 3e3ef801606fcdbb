/** Passes on messages from standard input and refuses other lines, which the SDK drops silently: their sender would wait for ever. */
import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { parseJSONRPCMessage } from '@modelcontextprotocol/server';

/** Arguments are short. */
export const MAX_MESSAGE_BYTES = 256 * 1024;

/** @param refuse receives a JSON-RPC error for each line that isn't a message */
export function messageLines(refuse: (answer: object) => void): Transform {
  const decoder = new StringDecoder('utf8');
  let begun = '';
  let isTooLong = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const [first = '', ...more] = decoder.write(chunk).split('\n');
      for (const part of [first, ...more.flatMap((line) => [null, line])]) {
        if (part !== null) {
          begun += part;
          isTooLong ||= begun.length > MAX_MESSAGE_BYTES;
          // A line that is too long isn't kept.
          if (isTooLong) begun = '';
          continue;
        }
        const answer = isTooLong ? refusal(-32600, TOO_LONG) : refusalOf(begun);
        if (answer) refuse(answer);
        else if (begun.trim() !== '') this.push(`${begun}\n`);
        begun = '';
        isTooLong = false;
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
  if (Array.isArray(message)) return refusal(-32600, 'send one message, not several in a list');
  try {
    parseJSONRPCMessage(message);
    return undefined;
  } catch {
    return refusal(-32600, 'this is not a JSON-RPC 2.0 message', idOf(message));
  }
}

/** The message's id, if it is a valid one; other values aren't repeated. */
function idOf(message: unknown): string | number | null {
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : null;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null;
}

export function refusal(code: number, message: string, id: string | number | null = null): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
