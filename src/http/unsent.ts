/**
 * Sends long bodies in slices, which shows which clients read; bounds the memory of all
 * of them together.
 */
import type { ServerResponse } from 'node:http';

/**
 * Bytes of a slice. Shorter bodies are passed to the system at once, which mostly has
 * room for them.
 */
const SLICE_BYTES = 64 * 1024;

const MAX_BYTES = 16 * 1024 * 1024;

export class UnsentBodies {
  /** Bytes of each body, longest unread first. */
  readonly #bodies = new Map<ServerResponse, number>();
  #bytes = 0;

  /** Sends a body after its headers, and ends the response. */
  send(response: ServerResponse, bytes: Buffer | null): void {
    if (bytes === null || bytes.length <= SLICE_BYTES || response.req.method === 'HEAD')
      return void response.end(bytes);

    this.#bodies.set(response, bytes.length);
    this.#bytes += bytes.length;
    response.once('close', () => this.#forget(response));
    this.#dropStalled();

    let at = 0;
    const sendOn = () => {
      // Last among those that have taken nothing for long.
      if (this.#bodies.delete(response)) this.#bodies.set(response, bytes.length);
      while (at < bytes.length && !response.destroyed) {
        const slice = bytes.subarray(at, at + SLICE_BYTES);
        at += SLICE_BYTES;
        if (!response.write(slice)) break;
      }

      if (at >= bytes.length) {
        response.off('drain', sendOn);
        response.end();
      }
    };

    response.on('drain', sendOn);
    sendOn();
  }

  #dropStalled(): void {
    for (const [response] of this.#bodies) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#forget(response);
      response.destroy();
    }
  }

  #forget(response: ServerResponse): void {
    this.#bytes -= this.#bodies.get(response) ?? 0;
    this.#bodies.delete(response);
  }
}
