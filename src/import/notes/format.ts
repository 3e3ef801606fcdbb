/** Markdown notes as a format: a folder or one file. */
import type { Format } from '../table/format.ts';
import { readNotes } from './read.ts';
import { isNoteName } from './vault.ts';

export const markdown: Format = {
  name: 'markdown',
  description:
    'Markdown: notes with YAML properties at the top, one record each; also whole folders, such as an Obsidian vault',
  notes: true,
  looksLike: (_start, fileName) => isNoteName(fileName),
  read: readNotes,
};
