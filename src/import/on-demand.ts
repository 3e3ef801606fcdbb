/**
 * What an import needs for some files only, loaded before its steps, which are
 * synchronous: the planning of notes, readers of formats, workbooks and mappings, the
 * steps of notes, pictures and exports, and the figures that files may state.
 */
import { dayFigures } from '../journal/metrics.ts';
import { OnDemand } from '../journal/once.ts';
import { tradeJournals } from '../journal/resources/journals.ts';
import { isNoteName } from '../notes/note.ts';
import { fills } from '../statements/fill-row.ts';
import { isFolder, type Job, mayBeWorkbook } from './files/contents.ts';
import { mappings, mayHavePictures, notePlans } from './files/plan.ts';
import { workbooks } from './files/read.ts';
import { loadAllReaders, loadReaders, markdown } from './formats/index.ts';
import { endingCash } from './steps/complete-file.ts';
import { hasDayNotes, notesAgain } from './steps/notes-again.ts';
import { noteSteps } from './steps/read-job.ts';
import { exportedFillsStep } from './steps/store-file.ts';
import { notedRecords } from './write/record-import.ts';

/** Of an export with a folder of pictures; not loaded without one. */
export const exportedPictures = new OnDemand(
  'the step of exported pictures',
  async () => (await import('./steps/exported-pictures.ts')).keepExportedPictures,
);

/** Call it before the files at paths are planned. */
export async function loadToPlan(paths: readonly string[]): Promise<void> {
  const hasFolder = paths.some(isFolder);
  // Only MetaTrader's reader tells whether a workbook in a folder is a report.
  if (hasFolder) await loadReaders(['metatrader']);
  if (hasFolder || paths.some(isNoteName)) await notePlans.load();
  if (paths.some(mayBeWorkbook)) await workbooks.load();
}

/** Call it before jobs are read and stored. */
export async function loadFor(jobs: readonly Job[], journal: string): Promise<void> {
  await loadReaders(jobs.map(({ format }) => format.name));
  if (jobs.some(({ resource }) => resource.metrics !== undefined))
    await dayFigures.load();
  if (jobs.some(({ format }) => format.mayStateCash)) await endingCash.load();
  if (jobs.some(({ resource }) => resource === fills)) await exportedFillsStep.load();
  if (jobs.some(mayHavePictures)) await exportedPictures.load();
  if (jobs.some(mayNameTrades)) await notedRecords.load();
  if (jobs.some(({ notes }) => notes !== undefined)) await loadNotes();
  await loadForTrades(journal);
}

/** Entries of a table may name their trades by symbol and time. */
function mayNameTrades({ resource }: Job): boolean {
  return resource === tradeJournals || resource.table === null;
}

/** Call it before trades are made: notes about their days are read again. */
export async function loadForTrades(journal: string): Promise<void> {
  if (hasDayNotes(journal)) await loadNotes();
}

/** Reading, storing and reading again. */
async function loadNotes(): Promise<void> {
  await loadReaders([markdown.name]);
  await noteSteps.load();
  await notedRecords.load();
  await notesAgain.load();
}

/** For files that aren't known yet, or that were imported before. */
export async function loadAll(): Promise<void> {
  await loadAllReaders();
  await mappings.load();
  await notePlans.load();
  await workbooks.load();
  await loadNotes();
  await exportedFillsStep.load();
  await exportedPictures.load();
  await dayFigures.load();
  await endingCash.load();
}
