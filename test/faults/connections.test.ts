/** Clients that send nothing, half a request, or never read: other clients are served, and the server can stop. */

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { AGAIN } from '../again.ts';
import { World } from '../helpers.ts';
import { startServe } from '../program.ts';

/** Connections that have each sent some bytes, and read nothing by default. */
async function dial(port: number, count: number, bytes: string): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () =>
    connect(port, '127.0.0.1').on('error', () => undefined),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) socket.write(bytes);
  await Promise.all(sockets.map((socket) => socket.pending && once(socket, 'connect')));
  return sockets;
}

/** Milliseconds until it has ended. */
async function stopped({
  stop,
  ended,
}: Awaited<ReturnType<typeof startServe>>): Promise<number> {
  const since = performance.now();
  stop();
  expect((await ended).code).toBe(0);
  return performance.now() - since;
}

const HALF = 'GET /v1/me HTTP/1.1\r\nHost: localhost\r\n';

test.each([
  ['silent', ''],
  ['half-open', HALF],
])(
  '%s connections keep nobody out where there are 80 file descriptors, nor the server from stopping',
  AGAIN,
  async (_name, bytes) => {
    const { files } = new World();
    const few = ['sh', '-c', 'ulimit -n 80 && exec "$@"', 'sh'];
    const serving = await startServe(['--home', files.home, '--log', 'off'], {
      under: few,
    });
    for (let i = 0; i < 5; i++) {
      await dial(serving.port, 60, bytes);
      const [answer] = (await once(
        get(`${serving.url}/healthz`, { agent: false, timeout: 20_000 }),
        'response',
      )) as [IncomingMessage];
      expect(answer.resume().statusCode).toBe(200);
    }
    // By itself the server cuts half a request off after five seconds.
    expect(await stopped(serving)).toBeLessThan(4500);
  },
);

test('a client waiting for a response keeps its place', AGAIN, async () => {
  const world = new World();
  const few = ['sh', '-c', 'ulimit -n 80 && exec "$@"', 'sh'];
  const { port } = await startServe(['--home', world.files.home, '--log', 'off'], {
    under: few,
  });
  const [client] = (await dial(port, 1, HALF)) as [Socket];
  client.setEncoding('utf8');
  client.write('\r\n');
  const [head] = await once(client, 'data');
  expect(head).toMatch(/^HTTP\/1\.1 401/);
  // Half of the descriptors are for connections: the oldest that is idle goes, the others stay.
  const others = await dial(port, 39, HALF);
  expect(client.closed).toBe(false);
  const closed = once(client, 'close');
  await dial(port, 1, HALF);
  await closed;
  expect(others.filter((socket) => socket.closed)).toEqual([]);
});

test(
  'a client without a whole request within seconds is disconnected',
  AGAIN,
  async () => {
    const { files } = new World();
    const { port } = await startServe(['--home', files.home, '--log', 'off']);
    const sockets = [...(await dial(port, 10, '')), ...(await dial(port, 10, HALF))];
    const since = performance.now();
    await Promise.all(sockets.map((socket) => socket.resume() && once(socket, 'close')));
    expect(performance.now() - since).toBeLessThan(20_000);
  },
);
