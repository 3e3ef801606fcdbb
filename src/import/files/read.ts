/** Reads a file by its format. */
import { basename } from 'node:path';
import type { Reading } from '../fills/reading.ts';
import type { ReadContext } from '../table/format.ts';
import type { Job } from './job.ts';
import { sheetFor } from './sheets.ts';
import type { FileSource } from './source.ts';
import { textOf } from './text.ts';

export interface ReadSettings extends Pick<ReadContext, 'user' | 'timeZone'> {
  date?: string | undefined;
  symbol?: string | undefined;
  printed?: ReadContext['printed'];
  saveMemory?: (() => void) | undefined;
  /** Called before a long file is read, which takes seconds. */
  readingLong?: ((file: string) => void) | undefined;
}

/** Number of bytes that take a second to read. */
const LONG = 5_000_000;

export function readFile(job: Job, source: FileSource, settings: ReadSettings): Reading {
  const { user, timeZone, date, symbol, printed, saveMemory, readingLong } = settings;
  const { file, format, resource } = job;
  const path = job.bytes ? null : file;
  const context = { resource, user, timeZone, fileName: path === null ? '' : basename(path), date, symbol, printed };
  if (format.streamed) return format.read(() => source.blocks(), context);
  if (format.notes) {
    const notes = source.notes(context.fileName);
    // Saving memory takes a sixth of the time of a vault of 1,000 notes (bench/day-notes.ts), which is small.
    if (source.size >= LONG) saveMemory?.();
    return format.read(notes, context);
  }
  saveMemory?.();
  const bytes = source.bytes();
  if (bytes.length >= LONG) readingLong?.(file);
  if (format.binary) return format.read(bytes, { ...context, path });
  const sheet = sheetFor(format, bytes, context.fileName);
  if (sheet) return format.read(sheet.text, { ...context, otherSheets: sheet.others });
  return format.read(textOf({ file, bytes }, format.holds !== undefined), context);
}
