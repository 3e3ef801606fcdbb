/** The records on the lines of a note that is read again. */
import { resolve } from 'node:path';
import type { ListResource } from '../../journal/resource.ts';
import { type NotedRecord, placeInNote, placeOf, REMOVED } from '../note.ts';

export class FormerRecords {
  readonly #ids: ReadonlyMap<string, string>;
  readonly #isEdited: boolean;
  readonly #taken = new Set<string>();

  /**
   * @param ids by their place
   * @param isEdited the text of an editor has no path
   */
  constructor(ids: ReadonlyMap<string, string> = new Map(), isEdited = false) {
    this.#ids = ids;
    this.#isEdited = isEdited;
  }

  /** The record on the line of a part, unless another part has it. */
  of(part: NotedRecord, { path }: ListResource): string | undefined {
    const note = this.#isEdited ? '' : resolve(part.file);
    const id = this.#ids.get(placeInNote(path, note, placeOf(part)));
    return this.#taken.has(`${path} ${id}`) ? undefined : id;
  }

  /** The record that an edit removed on the line of a part. */
  removed(
    part: Pick<NotedRecord, 'line' | 'isGone'>,
    { path }: ListResource,
  ): string | undefined {
    return this.#ids.get(placeInNote(path, REMOVED, placeOf(part)));
  }

  take({ path }: ListResource, id: string): void {
    this.#taken.add(`${path} ${id}`);
  }
}
