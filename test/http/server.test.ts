/** Requests as bytes: old clients, odd requests, and clients that disconnect. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SECURITY_HEADERS } from '../../src/http/reply.ts';
import { listen, refuse } from '../../src/http/server.ts';
import { tradeRow, World } from '../helpers.ts';
import { startServe } from '../program.ts';

/** Sends bytes and reads until the server closes. */
async function exchange(
  port: number,
  bytes: string,
): Promise<{ status: number; head: string; body: any }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  socket.write(bytes);
  await once(socket, 'close');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return {
    status: Number(head.split(' ')[1]),
    head,
    body: body === '' ? undefined : JSON.parse(body),
  };
}

async function portOf(world: World): Promise<number> {
  const server = await listen(world.app, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  return Number(new URL(server.url).port);
}

test('odd requests', async () => {
  const world = new World();
  const key = world.key();
  const port = await portOf(world);
  const good = `Authorization: Bearer ${key}\r\nConnection: close\r\n\r\n`;

  expect(await exchange(port, `GET /v1/me HTTP/1.0\r\n${good}`)).toMatchObject({
    status: 200,
  });
  expect(
    await exchange(
      port,
      `GET /v1/me HTTP/1.1\r\nHost: localhost\r\nExpect: fancy\r\n${good}`,
    ),
  ).toMatchObject({
    status: 200,
  });
  expect(
    await exchange(
      port,
      `GET http://localhost/v1/me HTTP/1.1\r\nHost: localhost\r\n${good}`,
    ),
  ).toMatchObject({ status: 200 });
  const unreadable: [string, number][] = [
    [`GET /v1/me HTTP/1.1\r\nHost: a b\r\n${good}`, 400],
    [`GET /v1\\me HTTP/1.1\r\nHost: localhost\r\n${good}`, 400],
    [`GET /v1/me HTTP/1.1\r\n${good}`, 400],
    [`GET /v1/me HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n${good}`, 400],
    [`GET /v1/me HTTP/1.1\r\nhOST: localhost\r\nHost: evil.example.com\r\n${good}`, 400],
    [`GET /healthz HTTP/1.0\r\nHost: localhost\r\nHost: 127.0.0.1\r\n${good}`, 400],
    // The address decides, not the header beside it.
    [`GET http://evil.example.com/v1/me HTTP/1.1\r\nHost: localhost\r\n${good}`, 421],
    [
      `GET http://localhost:4747/v1/me HTTP/1.1\r\nHost: evil.example.com\r\n${good}`,
      421,
    ],
    ['nonsense\r\n\r\n', 400],
    [
      `GET /v1/trades?symbol=${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n${good}`,
      431,
    ],
  ];
  for (const [bytes, status] of unreadable) {
    const answer = await exchange(port, bytes);
    expect([bytes.slice(0, 40), answer.status]).toEqual([bytes.slice(0, 40), status]);
    const code = status === 421 ? 'misdirected_request' : 'bad_request';
    expect(answer.body).toMatchObject({ code, status });
    expect(answer.head).toMatch(/content-type: application\/problem\+json/i);
    expect(answer.head).toMatch(/x-request-id: \S+/i);
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
      expect(answer.head.toLowerCase()).toContain(`\r\n${name}: ${value}`.toLowerCase());
    }
  }
});

test.each([
  ['different ones', ['Bearer a', 'Bearer b'], 400],
  ['one with another scheme', ['Basic YTpi', 'KEY'], 400],
  ['the same twice', ['KEY', 'KEY'], 200],
])('two Authorization headers: %s', async (_name, values, status) => {
  const world = new World();
  const key = world.key();
  const port = await portOf(world);
  const lines = values
    .map((value) => `authorization: ${value.replace('KEY', `Bearer ${key}`)}\r\n`)
    .join('');
  const answer = await exchange(
    port,
    `GET /v1/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines}\r\n`,
  );
  expect(answer.status).toBe(status);
  if (status === 400) expect(answer.body.code).toBe('conflicting_credentials');
});

test('a response is built after the earlier ones of its connection are sent, and not for a client that left', async () => {
  const world = new World();
  const key = world.key();
  world.insert('trades', tradeRow('t', { notes: 'n'.repeat(7_000_000) }));
  const port = await portOf(world);
  const headers = { Authorization: `Bearer ${key}` };
  const statuses = () =>
    world.log
      .map((line) => JSON.parse(line))
      .flatMap((l) => (l.path === '/v1/trades' ? l.status : []));
  const sendAtOnce = () => {
    const client = connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .pause();
    const lines = Object.entries({ Host: 'localhost', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    client.write(`GET /v1/trades HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`.repeat(3));
    return client;
  };
  const logged = (count: number) =>
    vi.waitFor(() => expect(statuses()).toHaveLength(count), { timeout: 10_000 });

  const slow = sendAtOnce();
  onTestFinished(() => void slow.destroy());
  await logged(1);
  for (let i = 0; i < 20; i++) {
    expect((await fetch(`http://127.0.0.1:${port}/v1/me`, { headers })).status).toBe(200);
  }
  expect(statuses()).toEqual([200]);
  slow.resume();
  await logged(3);

  const leaving = sendAtOnce();
  await logged(4);
  leaving.destroy();
  await logged(6);
  expect(statuses()).toEqual([200, 200, 200, 200, 499, 499]);
});

test('a client without a complete request in time is disconnected, even if it never closes its end', async () => {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void client.destroy());
  let received = '';
  client.on('data', (chunk) => {
    received += chunk;
  });
  const [socket] = (await once(server, 'connection')) as [Socket];
  const closed = once(socket, 'close');
  refuse(
    Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
    socket,
  );
  await closed;
  await once(client, 'end');
  expect(received).toBe('');
});

test('the service continues if the reader of its output is gone', async () => {
  const world = new World();
  const key = world.key();
  const { url, deafen } = await startServe(['--home', world.files.home]);
  deafen();
  for (let i = 0; i < 5; i++) {
    const answer = await fetch(`${url}/v1/me`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(answer.status).toBe(200);
    await answer.text();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
});

test('SIGHUP stops the service cleanly', async () => {
  const world = new World();
  const { pid, ended } = await startServe(['--home', world.files.home]);
  process.kill(pid, 'SIGHUP');
  expect(await ended).toMatchObject({ code: 0 });
});

test('an empty environment variable is not set', async () => {
  const world = new World();
  const env = {
    JOURNAL_API_PORT: '',
    JOURNAL_API_TLS_CERT: '',
    JOURNAL_API_DB: '',
    JOURNAL_API_RATE_LIMIT: '',
  };
  const { url } = await startServe(['--home', world.files.home], { env });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});
