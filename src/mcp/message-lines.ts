/** Lines of standard input, of which only messages get through: the SDK drops any other in silence, and its sender waits for ever. */

import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { parseJSONRPCMessage } from '@modelcontextprotocol/server';

/** Arguments are short. */
export const MAX_MESSAGE_BYTES = 256 * 1024;

/** @param refuse is given the answer to each line that is no message, as JSON-RPC has it */
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
          // No more of it is kept than shows that it is too long.
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

const TOO_LONG = `a message has at most ${MAX_MESSAGE_BYTES / 1024} KB`;

/** The answer to a line that is no message; undefined for one that is, and for an empty one. */
function refusalOf(line: string): object | undefined {
  if (line.trim() === '') return undefined;
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return refusal(-32700, 'the line is not JSON');
  }
  if (Array.isArray(message)) return refusal(-32600, 'send one message, not several in a list');
  try {
    parseJSONRPCMessage(message);
    return undefined;
  } catch {
    return refusal(-32600, 'this is no JSON-RPC 2.0 message', idOf(message));
  }
}

/** What a program that is no client of ours may have put there is repeated only if it can be an id. */
function idOf(message: unknown): string | number | null {
  const id = typeof message === 'object' && message !== null && 'id' in message ? message.id : null;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null;
}

export function refusal(code: number, message: string, id: string | number | null = null): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}
