/** Markdown as a format: a folder of notes, or one. */
import type { Format } from '../table/format.ts';
import { readNotes } from './read.ts';
import { isNoteName } from './vault.ts';

export const markdown: Format = {
  name: 'markdown',
  description:
    'Markdown: notes with properties in YAML at the top, one record each; a folder of them as Obsidian keeps it',
  notes: true,
  looksLike: (_start, fileName) => isNoteName(fileName),
  read: readNotes,
};
