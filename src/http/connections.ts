/**
 * Limits on connections: fewer than the process has file descriptors, and none kept without a purpose. A client without a whole
 * request only takes a place, and is the first to lose it.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { once } from '../journal/once.ts';

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

export class Connections {
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
      for (const other of this.#open) if (isSamePeer(other, socket)) this.#open.delete(other);
      this.#add(socket);
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#lastResponse.set(socket, response);
    });
    const look = setInterval(() => this.#dropStalled(performance.now()), LOOK_MS).unref();
    server.on('close', () => clearInterval(look));
  }

  /** Lets current requests finish and resolves when all connections are closed; idle ones are closed at once. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    // A keep-alive connection would delay the end of the process by seconds.
    const idle = setInterval(() => this.#server.closeIdleConnections(), 50);
    const begun = setTimeout(() => this.#closeWhere((socket) => !this.#isAnswered(socket)), BEGUN_MS);
    const force = setTimeout(() => this.#closeWhere(() => true), DRAIN_MS);
    this.#server.closeIdleConnections();
    this.#server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
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
      if (!isWaiting || !progress || progress.bytes !== bytes) this.#progress.set(socket, { bytes, since: now });
      else if (now - progress.since >= STALLED_MS) socket.destroy();
    }
  }
}

/** Half of the available file descriptors: files need some, too. */
function connectionLimit(): number {
  const report = Object.assign(process.report, { excludeNetwork: true });
  // Windows has no limit.
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | 'unlimited' } } };
  const files = Number(userLimits?.open_files?.soft ?? Number.POSITIVE_INFINITY);
  return Number.isNaN(files) ? MAX_CONNECTIONS : Math.min(MAX_CONNECTIONS, Math.floor(files / 2));
}

function isSamePeer(a: Socket, b: Socket): boolean {
  return a.remotePort === b.remotePort && a.remoteAddress === b.remoteAddress;
}
