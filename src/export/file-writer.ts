import { closeSync, openSync, writeSync } from 'node:fs';

/** How much text is gathered before it is written. */
const PART = 1 << 16;

/** A new file that only its owner may read, written bit by bit. */
export class FileWriter {
  readonly #file: number;
  #gathered = '';

  constructor(path: string) {
    this.#file = openSync(path, 'wx', 0o600);
  }

  write(text: string): void {
    this.#gathered += text;
    if (this.#gathered.length >= PART) this.#flush();
  }

  close(): void {
    try {
      this.#flush();
    } finally {
      closeSync(this.#file);
    }
  }

  #flush(): void {
    const bytes = Buffer.from(this.#gathered);
    this.#gathered = '';
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
  }
}
