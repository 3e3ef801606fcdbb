/** Starts and stops the HTTP server of an application. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Hono } from 'hono';
import { messageOf, UserError } from '../errors.ts';
import { Connections } from './connections.ts';
import { listenerOf } from './listener.ts';
import type { Env } from './request-context.ts';
import { headersOf, UNREADABLE } from './unreadable.ts';

export interface Listening {
  /** http://127.0.0.1:4747 */
  url: string;
  /** Lets current requests finish, then closes: within ten seconds, or one if none is waiting for a response. */
  close: () => Promise<void>;
}

export interface ListenSettings {
  host: string;
  port: number;
  tlsCert?: string | undefined;
  tlsKey?: string | undefined;
}

/** Milliseconds to send a whole request. Requests have no body that takes time. */
const RECEIVING = { headersTimeout: 5000, requestTimeout: 10_000, connectionsCheckingInterval: 1000 };

/** The pipeline refuses a request without a host, with a problem as its body. */
const OPTIONS = { ...RECEIVING, requireHostHeader: false };

/** @throws UserError if the address or the certificate can't be used */
export async function listen(app: Hono<Env>, { host, port, tlsCert, tlsKey }: ListenSettings): Promise<Listening> {
  const tls = tlsCert !== undefined && tlsKey !== undefined ? { cert: read(tlsCert), key: read(tlsKey) } : undefined;
  let server: Server;
  try {
    const listener = listenerOf(app, host);
    server = tls
      ? createTlsServer({ ...OPTIONS, ...tls, handshakeTimeout: RECEIVING.requestTimeout }, listener)
      : createServer(OPTIONS, listener);
  } catch (error) {
    throw new UserError(`the certificate or its key can't be used: ${messageOf(error)}`);
  }
  const connections = new Connections(server);
  server.on('clientError', refuse);
  // An unknown expectation may be ignored; the response is the same.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new UserError(refusal(error, host, port))));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `${tls ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}:${actual}`,
    close: () => connections.close(),
  };
}

/** Responds to invalid HTTP and oversized headers. A client that is too slow gets no response. */
export function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  const isSilent = error.code === 'ECONNRESET' || error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (isSilent || !socket.writable) return void socket.destroy();
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const requestId = randomUUID();
  const body = JSON.stringify({
    ...UNREADABLE.toBody(requestId),
    ...(tooLarge ? { status: 431, detail: 'the request line and the headers are larger than 16 KB' } : {}),
  });
  const headers = {
    ...headersOf(requestId),
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const head = [
    `HTTP/1.1 ${tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request'}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UserError(`${path} can't be read: ${messageOf(error)}`);
  }
}

function refusal(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE')
    return `port ${port} on ${host} is in use; choose another with --port, or --port 0 for a free one`;
  if (error.code === 'EACCES') return `no permission for port ${port} on ${host}; choose one above 1023 with --port`;
  if (error.code === 'EADDRNOTAVAIL') return `${host} is not an address of this machine; choose another with --host`;
  return `cannot listen on ${host}:${port}: ${error.message}`;
}
