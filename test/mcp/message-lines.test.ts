/** Errors for lines on standard input that aren't messages. */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { MAX_MESSAGE_BYTES, serveMcp } from '../../src/mcp/transports.ts';
import { NOW } from '../helpers.ts';

const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}';

/** The answers to bytes written in pieces of a size, up to the answer to a final ping. */
async function answersTo(bytes: Buffer, size = bytes.length): Promise<any[]> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const settings = { now: () => NOW, onError: () => {} };
  const stop = serveMcp(
    async () => ({ status: 401, body: {} }) as never,
    settings,
    input,
    output,
  );
  let text = '';
  output.setEncoding('utf8').on('data', (part) => (text += part));
  const begin = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  input.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 'begin', method: 'initialize', params: begin })}\n`,
  );
  await once(output, 'data');
  for (let i = 0; i < bytes.length; i += size) input.write(bytes.subarray(i, i + size));
  input.write(`\n${PING}\n`);
  while (!text.includes('"id":7')) await once(output, 'data');
  await stop();
  const answers = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.at(0).id).toBe('begin');
  expect(answers.at(-1)).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
  return answers.slice(1, -1);
}

test.each([
  ['a line that is not JSON', '{"jsonrpc":', -32700, null],
  ['a line that is not JSON, with a key in it', 'jak_ü', -32700, null],
  ['several messages in a list', `[${PING},${PING}]`, -32600, null],
  ['an empty list', '[]', -32600, null],
  ['a number', '5', -32600, null],
  ['an object that is not a message', '{"id":5}', -32600, 5],
  [
    'invalid parameters',
    '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":5}',
    -32600,
    'a',
  ],
  ['a message of JSON-RPC 1', '{"id":1,"method":"ping","params":[]}', -32600, 1],
  ['an invalid id', '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', -32600, null],
  ['a line that is too long', `"${'x'.repeat(MAX_MESSAGE_BYTES)}"`, -32600, null],
])(
  '%s gets a JSON-RPC error, and the next message its answer',
  async (_what, line, code, id) => {
    for (const size of [undefined, 65_537]) {
      const answers = await answersTo(Buffer.from(line), size);
      expect(answers).toEqual([
        { jsonrpc: '2.0', id, error: { code, message: expect.any(String) } },
      ]);
      expect(answers[0].error.message).not.toContain('jak_');
    }
  },
);

test('empty lines are skipped, and a message may arrive in pieces', async () => {
  expect(await answersTo(Buffer.from('\n \r\n\n'))).toEqual([]);
  const listing = JSON.stringify({ jsonrpc: '2.0', id: 'ü', method: 'prompts/list' });
  for (const size of [1, 3, 1000]) {
    expect(await answersTo(Buffer.from(`${listing}\r\n`), size)).toMatchObject([
      { id: 'ü', result: { prompts: expect.any(Array) } },
    ]);
  }
});
