/**
 * What the journal keeps of imported files: their contents, which no other place reads or
 * writes, and the pictures that lines state.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { NamedPicture } from '../../pictures/kept-pictures.ts';
import type { Reader } from '../../sqlite/reader.ts';
import { USER, type UserRows } from '../../sqlite/user-rows.ts';

/** What an import keeps: its file, its notes, or the day's note before it was edited. */
export interface KeptPart {
  kind: 'file' | 'note' | 'printed';
  /** Of a note: with its folders, and within its vault; null for a file. */
  file: string | null;
  path: string | null;
  sha256: string;
}

/** Of the files of one path. */
const MOST_VERSIONS = 3;

/** Most bytes of a file's content that are compressed together. */
export const PIECE = 1 << 20;

/** A higher level takes four times as long for a tenth less. */
const LEVEL = 4;

export function compressed(piece: Buffer): Buffer {
  return gzipSync(piece, { level: LEVEL });
}

export class KeptFiles {
  readonly #rows: UserRows;

  constructor(rows: UserRows) {
    this.#rows = rows;
  }

  /** Whether the content with this hash is kept. */
  has(sha256: string): boolean {
    return this.#rows.has('kept_files', { sha256, piece: 0 });
  }

  /** Stores a compressed piece of a content, the first with number 0. */
  add(sha256: string, piece: number, bytes: Buffer): void {
    this.#rows.insert('kept_files', { sha256, piece, bytes });
  }

  /**
   * Stores which contents an import keeps, and forgets those of older files of its path.
   */
  state(importId: number, parts: readonly KeptPart[]): void {
    for (const [place, part] of parts.entries())
      this.#rows.insert('import_files', { import_id: importId, place, ...part });

    const older = this.#rows.run(FORGET_OLDER, { importId, most: MOST_VERSIONS });
    if (older > 0) this.#clear();
  }

  /** What an import keeps; empty if nothing, or if some of it is missing. */
  partsOf(importId: number): KeptPart[] {
    const parts = this.#rows.where<KeptPart>(
      'SELECT kind, file, path, sha256 FROM import_files',
      { import_id: importId },
      'ORDER BY place',
    );
    return parts.every(({ sha256 }) => this.has(sha256)) ? parts : [];
  }

  /**
   * A note as the latest import from one on keeps it; undefined if none does.
   * @param path absolute, with slashes
   */
  noteAt(path: string, since: number): (KeptPart & { import_id: number }) | undefined {
    const sql = `SELECT import_id, kind, file, path, sha256 FROM import_files
      WHERE user_id = ${USER} AND kind = 'note' AND import_id >= @since
        AND substr(@path, -length(path) - 1) = '/' || path
      ORDER BY import_id DESC LIMIT 1`;
    const part = this.#rows.get<KeptPart & { import_id: number }>(sql, { path, since });
    return part && this.has(part.sha256) ? part : undefined;
  }

  /** The content with this hash, piece by piece. */
  *pieces(sha256: string): Generator<Buffer> {
    const select = 'SELECT bytes FROM kept_files';
    for (let piece = 0; ; piece++) {
      const [row] = this.#rows.where<{ bytes: Buffer }>(select, { sha256, piece });
      if (!row) return;
      yield gunzipSync(row.bytes);
    }
  }

  /**
   * Forgets what an import keeps, and the contents that no other import has.
   * @param importId undefined: all imports
   * @returns the number of imports, and of bytes that the journal has less
   */
  forget(importId?: number): { imports: number; bytes: number } {
    const which = importId === undefined ? {} : { import_id: importId };
    const select = 'SELECT DISTINCT import_id FROM import_files';
    const kept = this.#rows.where<{ import_id: number }>(select, which);
    if (kept.length === 0) return { imports: 0, bytes: 0 };

    const before = this.#size();
    this.#rows.delete('import_files', which);
    this.#clear();

    return { imports: kept.length, bytes: before - this.#size() };
  }

  /** Removes contents that no import has. */
  #clear(): void {
    this.#rows.run(`DELETE FROM kept_files WHERE user_id = ${USER}
      AND sha256 NOT IN (SELECT sha256 FROM import_files WHERE user_id = ${USER})`);
  }

  #size(): number {
    const sum = `SELECT coalesce(sum(length(bytes)), 0) AS bytes FROM kept_files
      WHERE user_id = ${USER}`;
    return this.#rows.get<{ bytes: number }>(sum)?.bytes ?? 0;
  }
}

/** A file of records and one of fills may have the same path: a folder. */
const FORGET_OLDER = `WITH file AS (
    SELECT path, resource FROM imports
    WHERE user_id = ${USER} AND id = @importId AND path IS NOT NULL),
  versions AS (
    SELECT i.sha256, max(i.id) AS latest
    FROM imports AS i JOIN file ON file.path = i.path AND file.resource = i.resource
    WHERE i.user_id = ${USER} AND EXISTS (
      SELECT 1 FROM import_files AS f WHERE f.user_id = i.user_id AND f.import_id = i.id)
    GROUP BY i.sha256)
  DELETE FROM import_files WHERE user_id = ${USER} AND import_id IN (
    SELECT i.id FROM imports AS i JOIN file ON file.path = i.path AND file.resource = i.resource
    WHERE i.user_id = ${USER} AND i.sha256 IN (
      SELECT sha256 FROM versions ORDER BY latest DESC LIMIT -1 OFFSET (@most + 0)))`;

/**
 * The size of what each import keeps, as stored, by its id; the id of the user follows.
 */
export const KEPT_SIZES = `SELECT f.import_id AS id, sum(length(k.bytes)) AS bytes
  FROM import_files AS f JOIN kept_files AS k ON k.user_id = f.user_id AND k.sha256 = f.sha256
  WHERE f.user_id =`;

/** The kept bytes of an import's file; undefined if it keeps none, or notes. */
export function keptBytes(
  reader: Reader,
  user: string,
  importId: number,
): Buffer | undefined {
  const rows = reader.all<{ bytes: Buffer }>(
    `SELECT k.bytes FROM import_files AS f
     JOIN kept_files AS k ON k.user_id = f.user_id AND k.sha256 = f.sha256
     WHERE f.user_id = ? AND f.import_id = ? AND f.kind = 'file' ORDER BY k.piece`,
    user,
    importId,
  );
  if (rows.length === 0) return undefined;

  return Buffer.concat(rows.map(({ bytes }) => gunzipSync(bytes)));
}

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

/** The pictures that lines of the list of imports state. */
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
