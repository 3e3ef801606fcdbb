import { closeSync, openSync, writeSync } from 'node:fs';

/** Characters buffered before a write. */
const PART = 1 << 16;

/** A new file that only its owner can read, written in parts. */
export class FileWriter {
  readonly #file: number;
  #buffer = '';

  constructor(path: string) {
    this.#file = openSync(path, 'wx', 0o600);
  }

  write(text: string): void {
    this.#buffer += text;
    if (this.#buffer.length >= PART) this.#flush();
  }

  close(): void {
    try {
      this.#flush();
    } finally {
      closeSync(this.#file);
    }
  }

  #flush(): void {
    const bytes = Buffer.from(this.#buffer);
    this.#buffer = '';
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
  }
}
