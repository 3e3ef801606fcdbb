import { readNotes } from '../notes/read.ts';
import { isNoteName } from '../notes/vault.ts';
import type { Format } from './format.ts';

/** One note; those of a folder are read together. */
export const markdown: Format = {
  name: 'markdown',
  description:
    'Markdown: notes with properties in YAML at the top, one record each; a folder of them as Obsidian keeps it',
  looksLike: (_start, fileName) => isNoteName(fileName),
  read(text, context) {
    const { fileName } = context;
    return readNotes([{ file: fileName, path: fileName || 'standard-input.md', text }], context);
  },
};
