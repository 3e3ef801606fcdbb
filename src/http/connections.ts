/**
 * Who is connected: not more than the process has file descriptors for, and nobody for longer than there is something to do. Who
 * hasn't sent a whole request costs nothing but a place, and is the first to lose it.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** More than anybody needs at once; beyond it memory is what runs out. */
const MAX_CONNECTIONS = 1000;

/** How long a client may take nothing of an answer that is ready for it. */
const STALLED_MS = 30_000;

/** How often it is looked who does. */
const LOOK_MS = 1000;

/** How long a client that has begun a request may take to finish it once the server stops. */
const BEGUN_MS = 1000;

/** How long a request that is being answered may take until it is cut off once the server stops. */
const DRAIN_MS = 10_000;

/** What a connection has taken of what was written to it, and since when it has taken no more. */
interface Progress {
  bytes: number;
  /** performance.now() */
  since: number;
}

export class Connections {
  readonly #server: Server;
  readonly #limit: number;
  /** In the order of coming. */
  readonly #open = new Set<Socket>();
  readonly #lastResponse = new WeakMap<Socket, ServerResponse>();
  readonly #progress = new WeakMap<Socket, Progress>();

  /** @param limit how many there may be */
  constructor(server: Server, limit: number = connectionLimit()) {
    this.#server = server;
    this.#limit = limit;
    server.on('connection', (socket: Socket) => this.#add(socket));
    // With TLS, what speaks is another socket than the one that came.
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

  /** Lets requests under way finish and resolves once nobody is connected; those who ask for nothing are not waited for. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    // A connection that is kept alive after its last answer would hold the process up for seconds.
    const idle = setInterval(() => this.#server.closeIdleConnections(), 50);
    const begun = setTimeout(() => this.#closeWhere((socket) => !this.#isAnswered(socket)), BEGUN_MS);
    const force = setTimeout(() => this.#closeWhere(() => true), DRAIN_MS);
    this.#server.closeIdleConnections();
    this.#server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
    await closed;
    for (const timer of [idle, begun, force]) clearTimeout(timer);
  }

  #add(socket: Socket): void {
    if (this.#open.size >= this.#limit) this.#makeRoom();
    // All of them are being answered: whoever comes now has to come again.
    if (this.#open.size >= this.#limit) return void socket.destroy();
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
  }

  /** Closes the connection that has waited longest with no request of its own under way. */
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

  /** Whether an answer is being made for it, or sent to it. */
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

/** Half of the file descriptors that the system grants: files need some, too. */
function connectionLimit(): number {
  const report = Object.assign(process.report, { excludeNetwork: true });
  // Windows has no such limit.
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | 'unlimited' } } };
  const files = Number(userLimits?.open_files?.soft ?? Number.POSITIVE_INFINITY);
  return Number.isNaN(files) ? MAX_CONNECTIONS : Math.min(MAX_CONNECTIONS, Math.floor(files / 2));
}

function isSamePeer(a: Socket, b: Socket): boolean {
  return a.remotePort === b.remotePort && a.remoteAddress === b.remoteAddress;
}
