/** Starts and stops the HTTP server of an application. */

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Hono } from 'hono';
import { messageOf, UserError } from '../errors.ts';
import { once } from '../journal/once.ts';
import { headersOf, UNREADABLE } from './reply.ts';
import { type Env, GET } from './request-context.ts';
import { FILES, ROUTES } from './routes.ts';

// Limits on connections: fewer than the process has file descriptors, and none kept
// without a purpose. A client without a whole request only takes a place, and is the
// first to lose it.

/** More than any journal needs at once; beyond it memory would run out. */
const MAX_CONNECTIONS = 1000;

/** No limit is lower: Node takes more than 16 file descriptors to start. */
const FEW_CONNECTIONS = 8;

/** Milliseconds that a client may leave a response unread. */
const STALLED_MS = 30_000;

/** Interval of checks for stalled clients. */
const LOOK_MS = 1000;

/** Milliseconds to finish sending a request after the server stops. */
const BEGUN_MS = 1000;

/** Milliseconds to finish a response after the server stops. */
const DRAIN_MS = 10_000;

/** Bytes that a connection's client has read, and since when it has read no more. */
interface Progress {
  bytes: number;
  /** performance.now() */
  since: number;
}

class Connections {
  readonly #server: Server;
  /** Maximum of open connections: Node takes 6 ms to look it up. */
  readonly #limit = once(connectionLimit);
  /** In order of arrival. */
  readonly #open = new Set<Socket>();
  readonly #lastResponse = new WeakMap<Socket, ServerResponse>();
  readonly #progress = new WeakMap<Socket, Progress>();

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => this.#add(socket));
    // With TLS, requests come from another socket than the accepted one.
    server.on('secureConnection', (socket: Socket) => {
      for (const other of this.#open)
        if (isSamePeer(other, socket)) this.#open.delete(other);
      this.#add(socket);
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#lastResponse.set(socket, response);
    });

    const look = setInterval(() => this.#dropStalled(performance.now()), LOOK_MS).unref();
    server.on('close', () => clearInterval(look));
  }

  /**
   * Lets current requests finish and resolves when all connections are closed; idle ones
   * are closed at once.
   */
  async close(): Promise<void> {
    const closed = new Promise<void>(
      (resolve) => void this.#server.close(() => resolve()),
    );
    // A keep-alive connection would delay the end of the process by seconds.
    const idle = setInterval(() => this.#server.closeIdleConnections(), 50);
    const begun = setTimeout(
      () => this.#closeWhere((socket) => !this.#isAnswered(socket)),
      BEGUN_MS,
    );
    const force = setTimeout(() => this.#closeWhere(() => true), DRAIN_MS);
    this.#server.closeIdleConnections();
    this.#server.prependListener('request', (_request, response) =>
      response.setHeader('Connection', 'close'),
    );
    await closed;
    for (const timer of [idle, begun, force]) clearTimeout(timer);
  }

  #add(socket: Socket): void {
    if (this.#isFull()) this.#makeRoom();
    // All are being answered: a new client has to try again.
    if (this.#isFull()) return void socket.destroy();
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
  }

  #isFull(): boolean {
    return this.#open.size >= FEW_CONNECTIONS && this.#open.size >= this.#limit();
  }

  /** Closes the connection that has been idle longest. */
  #makeRoom(): void {
    for (const socket of this.#open) {
      if (this.#isAnswered(socket)) continue;
      this.#open.delete(socket);
      return void socket.destroy();
    }
  }

  #closeWhere(condition: (socket: Socket) => boolean): void {
    for (const socket of this.#open) if (condition(socket)) socket.destroy();
  }

  /** Whether a response to it is being made or sent. */
  #isAnswered(socket: Socket): boolean {
    const response = this.#lastResponse.get(socket);
    return response !== undefined && !response.writableFinished && !response.destroyed;
  }

  #dropStalled(now: number): void {
    for (const socket of this.#open) {
      const bytes = socket.bytesWritten - socket.writableLength;
      const progress = this.#progress.get(socket);
      const isWaiting = socket.writableLength > 0;
      if (!isWaiting || !progress || progress.bytes !== bytes)
        this.#progress.set(socket, { bytes, since: now });
      else if (now - progress.since >= STALLED_MS) socket.destroy();
    }
  }
}

/** Half of the available file descriptors: files need some, too. */
function connectionLimit(): number {
  const report = Object.assign(process.report, { excludeNetwork: true });
  // Windows has no limit.
  const { userLimits } = report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } };
  };
  const files = Number(userLimits?.open_files?.soft ?? Number.POSITIVE_INFINITY);
  return Number.isNaN(files)
    ? MAX_CONNECTIONS
    : Math.min(MAX_CONNECTIONS, Math.floor(files / 2));
}

function isSamePeer(a: Socket, b: Socket): boolean {
  return a.remotePort === b.remotePort && a.remoteAddress === b.remoteAddress;
}

// Passes requests from Node's server to the application.

/** Paths outside of /v1 that need only a request's headers. */
const PUBLIC = new Set([...ROUTES, ...FILES].map(({ path }) => path));

/**
 * A path under /v1 and a query that a URL leaves unchanged: no percent sign in the path.
 */
const PLAIN_TARGET = /^\/v1\/[!$&-;=@-Z_a-z~]*(?:\?[!$%&-;=?-[\]_a-z~]*)?$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/;
const PLAIN_HOST = /^[a-z0-9._-]+(?::[1-9]\d{3,4})?$/;

/**
 * Almost all requests are a GET of a plain path, which needs neither Hono's adapter nor
 * Node's fetch: `serve` starts 50 ms sooner and uses 20 MB less. The first other request
 * loads the adapter.
 * @param hostname for a request without a host
 */
function listenerOf(app: Hono<Env>, hostname: string): RequestListener {
  let adapter: Promise<RequestListener> | undefined;
  return (incoming, outgoing) => {
    if (isPlain(incoming)) return void respond(app, incoming, outgoing);
    adapter ??= import('./adapter.ts').then(({ adapterOf }) => adapterOf(app, hostname));
    void adapter.then((listener) => listener(incoming, outgoing));
  };
}

function isPlain({ method, url = '', headers }: IncomingMessage): boolean {
  if (method !== 'GET' || !PLAIN_HOST.test(headers.host ?? '')) return false;
  return PUBLIC.has(url) || (PLAIN_TARGET.test(url) && !DOT_SEGMENT.test(url));
}

async function respond(
  app: Hono<Env>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  await app.fetch(GET(`http://localhost${incoming.url}`), { incoming, outgoing });
  // The application also responds to errors. If it ever fails, the client doesn't wait.
  if (!outgoing.headersSent) outgoing.destroy();
}

export interface Listening {
  /** http://127.0.0.1:4747 */
  url: string;
  /**
   * Lets current requests finish, then closes: within ten seconds, or one if none is
   * waiting for a response.
   */
  close: () => Promise<void>;
}

interface ListenSettings {
  host: string;
  port: number;
  tlsCert?: string | undefined;
  tlsKey?: string | undefined;
}

/** Milliseconds to send a whole request. Requests have no body that takes time. */
const RECEIVING = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1000,
};

/** The pipeline refuses a request without a host, with a problem as its body. */
const OPTIONS = { ...RECEIVING, requireHostHeader: false };

/** @throws UserError if the address or the certificate can't be used */
export async function listen(
  app: Hono<Env>,
  { host, port, tlsCert, tlsKey }: ListenSettings,
): Promise<Listening> {
  const tls =
    tlsCert !== undefined && tlsKey !== undefined
      ? { cert: read(tlsCert), key: read(tlsKey) }
      : undefined;
  let server: Server;
  try {
    const listener = listenerOf(app, host);
    server = tls
      ? createTlsServer(
          { ...OPTIONS, ...tls, handshakeTimeout: RECEIVING.requestTimeout },
          listener,
        )
      : createServer(OPTIONS, listener);
  } catch (error) {
    throw new UserError(`the certificate or its key can't be used: ${messageOf(error)}`);
  }

  const connections = new Connections(server);
  server.on('clientError', refuse);
  // An unknown expectation may be ignored; the response is the same.
  server.on(
    'checkExpectation',
    (request, response) => void server.emit('request', request, response),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new UserError(refusal(error, host, port))),
    );
    server.listen(port, host, resolve);
  });

  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;

  return {
    url: `${tls ? 'https' : 'http'}://${isIPv6(host) ? `[${host}]` : host}:${actual}`,
    close: () => connections.close(),
  };
}

/**
 * Responds to invalid HTTP and oversized headers. A client that is too slow gets no
 * response.
 */
export function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  const isSilent =
    error.code === 'ECONNRESET' || error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  if (isSilent || !socket.writable) return void socket.destroy();

  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const requestId = randomUUID();
  const body = JSON.stringify({
    ...UNREADABLE.toBody(requestId),
    ...(tooLarge
      ? { status: 431, detail: 'the request line and the headers are larger than 16 KB' }
      : {}),
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
  if (error.code === 'EACCES')
    return `no permission for port ${port} on ${host}; choose one above 1023 with --port`;
  if (error.code === 'EADDRNOTAVAIL')
    return `${host} is not an address of this machine; choose another with --host`;
  return `cannot listen on ${host}:${port}: ${error.message}`;
}
