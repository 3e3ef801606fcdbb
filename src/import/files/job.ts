/** Import jobs: files and folders of notes, each with its format and resource. */
import type { User } from '../../journal/journal.ts';
import type { ListResource } from '../../journal/resource.ts';
import type { FilePlace } from '../parse/open-file.ts';
import type { Format, Note } from '../table/format.ts';

/** `file` is also the name in messages. */
export interface Job extends FilePlace {
  format: Format;
  resource: ListResource;
  /** The contents of a source that can be read only once. */
  bytes?: Buffer;
  notes?: readonly Note[];
}

export interface Plan {
  jobs: Job[];
  ignored: { file: string; reason: string }[];
  /** User settings in the folder of an export. */
  settings?: { file: string; user: User };
}
