/** The export: writes all records of a user to files that import restores unchanged. */
import { join } from 'node:path';
import { everyRecord } from '../journal/every-record.ts';
import type { User } from '../journal/journal.ts';
import { shownPictures, statedPictures } from '../journal/pictures.ts';
import type { ListResource } from '../journal/resource.ts';
import { RESOURCES } from '../journal/resources/index.ts';
import { readJournal, userFor } from '../journal-write/open.ts';
import { KeptPictures } from '../pictures/keeping.ts';
import {
  type NamedPicture,
  PictureFolder,
  pictureNamed,
} from '../pictures/kept-pictures.ts';
import { createFolder } from '../sqlite/create-file.ts';
import { type Reader, type Row, TEXT } from '../sqlite/reader.ts';
import { importsOfFills } from '../statements/exported-imports.ts';
import { everyFill, fills } from '../statements/fill-row.ts';
import { type ExportForm, FileWriter, FORMS, storable } from './forms.ts';

export interface ExportOptions {
  /** The journal file. */
  journal: string;
  /** A missing or empty folder. */
  folder: string;
  as: ExportForm;
  user?: string | undefined;
  /** Called at intervals while records are written. */
  progress?: (file: string, done: number, of: number) => void;
}

export interface ExportReport {
  folder: string;
  user: string;
  files: { file: string; resource: string; records: number }[];
  /** Records whose texts lost a NUL or an unpaired surrogate, which import rejects. */
  cleaned: number;
  /**
   * Kept pictures that records show; those whose files are missing or changed are left
   * out.
   */
  pictures: { written: number; missing: number };
}

const PROGRESS_EVERY = 500;

/**
 * All files are of one snapshot, even if other programs write. Memory holds one record at
 * a time.
 * @throws UserError if the folder isn't empty, or the journal or user is missing; no
 * folder is created then
 */
export async function exportJournal(options: ExportOptions): Promise<ExportReport> {
  const { journal, folder } = options;
  const user = userFor(journal, options.user);
  const report: ExportReport = {
    folder,
    user: user.id,
    files: [],
    cleaned: 0,
    pictures: { written: 0, missing: 0 },
  };

  await createFolder(folder, 'export', (draft) =>
    readJournal(journal, (reader) => {
      writeUser(draft, user);
      for (const resource of RESOURCES) {
        if (resource.table !== null)
          writeRecords(reader, user, resource, draft, options, report);
      }
      writeFills(reader, user, draft, options, report);
      writePictures(reader, user, draft, options, report);
    }),
  );
  return report;
}

/** Writes the user's settings, for a new journal imported from the folder. */
function writeUser(folder: string, user: User): void {
  const file = new FileWriter(join(folder, 'user.json'));
  file.write(`${JSON.stringify(user, null, 2)}\n`);
  file.close();
}

/**
 * Writes fills and the list of their imports; neither if no trade was made from fills.
 */
function writeFills(
  reader: Reader,
  user: User,
  folder: string,
  options: ExportOptions,
  report: ExportReport,
): void {
  const imports = importsOfFills(reader, user.id);
  if (imports.length === 0) return;

  const file = new FileWriter(join(folder, 'imports.json'));
  file.write(`${JSON.stringify(imports, null, 2)}\n`);
  file.close();

  // Fills as CSV: a hundred thousand notes would be unreadable.
  const as = options.as === 'markdown' ? 'csv' : options.as;
  writeRecords(
    reader,
    user,
    fills,
    folder,
    { ...options, as },
    report,
    everyFill(reader, user),
  );
}

/** The pictures that records show, in a folder of their own. */
function writePictures(
  reader: Reader,
  user: User,
  folder: string,
  { journal }: ExportOptions,
  { pictures }: ExportReport,
): void {
  const from = PictureFolder.of(journal);
  const to = new KeptPictures(join(folder, 'attachments'));
  const stated = statedPictures(reader, user.id);

  for (const name of shownPictures(reader, user.id)) {
    const bytes = stated.has(name) ? from.read(name) : undefined;
    if (bytes) to.keep({ ...(pictureNamed(name) as NamedPicture), bytes });
    if (bytes) pictures.written++;
    else pictures.missing++;
  }
}

function writeRecords(
  reader: Reader,
  user: User,
  resource: ListResource,
  folder: string,
  { as, progress }: ExportOptions,
  report: ExportReport,
  all: Iterable<Row> = everyRecord(reader, user, resource),
): void {
  const { n: count } = reader.only<{ n: number }>(
    `SELECT count(*) AS n FROM ${resource.table} WHERE user_id = ${TEXT}`,
    user.id,
  );
  const file = FORMS[as](folder, resource);
  let records = 0;

  try {
    for (const record of all) {
      const cleaned = storable(record);
      if (cleaned !== record) report.cleaned++;
      file.write(cleaned);
      if (++records % PROGRESS_EVERY === 0) progress?.(file.name, records, count);
    }
  } finally {
    file.close();
  }

  report.files.push({ file: file.name, resource: resource.path, records });
}
