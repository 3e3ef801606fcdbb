/** Steps that only some files need. */
import { OnDemand } from '../../journal/once.ts';

/** Of notes. */
export const noteSteps = new OnDemand('the steps of notes', async () => {
  const { foundRecords } = await import('../../notes/find-records.ts');
  const { NotedChanges } = await import('../../notes/note-changes.ts');
  const { NoteVersions } = await import('../../statements/note-versions.ts');
  const { keepPictures, pictureSource, withPictures } = await import(
    './note-pictures.ts'
  );
  return {
    foundRecords,
    keepPictures,
    NotedChanges,
    NoteVersions,
    pictureSource,
    withPictures,
  };
});

/** Of an export with a folder of pictures; not loaded without one. */
export const exportedPictures = new OnDemand(
  'the step of exported pictures',
  async () => (await import('./exported-pictures.ts')).keepExportedPictures,
);
