/** What is to be imported: files and folders of notes, each with its format and the resource that it holds. */
import type { User } from '../../journal/journal.ts';
import type { ListResource } from '../../journal/resource.ts';
import type { FilePlace } from '../parse/open-file.ts';
import type { Format, Note } from '../table/format.ts';

/** `file` is also its name in messages. */
export interface Job extends FilePlace {
  format: Format;
  resource: ListResource;
  /** What can be read only once, read. */
  bytes?: Buffer;
  /** Of a folder of notes: those that become records of the resource. */
  notes?: readonly Note[];
}

export interface Plan {
  jobs: Job[];
  /** Files of a folder that are none of ours, and why. */
  ignored: { file: string; reason: string }[];
  /** Settings of the user that a folder brings: an export's. */
  settings?: { file: string; user: User };
}
