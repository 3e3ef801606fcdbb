/** The pictures that lines of the list of imports state. */
import type { NamedPicture } from '../../pictures/address.ts';
import type { UserRows } from '../../sqlite/user-rows.ts';

export interface StatedPicture extends NamedPicture {
  /** Of the note that shows it; '' for a command. */
  path: string;
  /** Its name as written there. */
  written: string;
  width: number;
  height: number;
  bytes: number;
}

const SELECT = `SELECT path, written, sha256, type, width, height, bytes FROM import_pictures`;

export class StatedPictures {
  readonly #rows: UserRows;

  constructor(rows: UserRows) {
    this.#rows = rows;
  }

  /** Whether any line states one. */
  get areThere(): boolean {
    return this.#rows.has('import_pictures');
  }

  state(importId: number, picture: StatedPicture): void {
    this.#rows.replace('import_pictures', { import_id: importId, ...picture });
  }

  /** What any line states of a picture; undefined if none does. */
  find({ sha256, type }: NamedPicture): StatedPicture | undefined {
    return this.#rows.where<StatedPicture>(SELECT, { sha256, type }, 'LIMIT 1')[0];
  }

  ofLine(importId: number): StatedPicture[] {
    return this.#rows.where<StatedPicture>(SELECT, { import_id: importId });
  }

  forgetLine(importId: number): void {
    this.#rows.delete('import_pictures', { import_id: importId });
  }
}
