/**
 * Results of reading notes, in words: a line per note, then what looks like fields and
 * stayed text.
 */
import { basename, relative, sep } from 'node:path';
import type { ReadBack, StayedText } from '../../notes/note.ts';
import { counted } from './notices.ts';
import type { FileReport, NotesAgain } from './report.ts';

/** Lines that stayed text, of a note. */
const MOST_LINES = 5;

/** The longest text of a line that is shown whole. */
const LONGEST = 60;

export function readBackLines(report: FileReport): string[] {
  const { file, read_back = [], notes_unchanged = 0 } = report;
  const lines = read_back.flatMap((read) => linesOf(read, nameOf(read, file)));
  if (notes_unchanged > 0) lines.push(`${counted(notes_unchanged, 'note')} unchanged`);
  return lines.concat(readAgainLines(report));
}

/** Notes that were read again since a trade came, and those that weren't. */
export function readAgainLines({
  read_again = [],
  to_import = [],
}: Partial<NotesAgain>): string[] {
  const read = read_again.flatMap((note) => {
    const [first = '', ...more] = linesOf(note, note.file);
    return [`read again, since its trade is here: ${first}`, ...more];
  });
  const others = to_import.map(
    (path) => `${path} names a trade that is here now; import the note again`,
  );
  return [...read, ...others];
}

/** Its path in the imported folder; of a note that holds several days, with the day. */
function nameOf({ file, day = '', week = '' }: ReadBack, imported: string): string {
  const isWithin = file.startsWith(
    imported.endsWith(sep) ? imported : `${imported}${sep}`,
  );
  const name = isWithin ? relative(imported, file) : basename(file);
  const date = day || week;
  return name.includes(date) ? name : `${name} (${date})`;
}

function linesOf(read: ReadBack, name: string): string[] {
  const { stayed_text: stayed } = read;
  const line = `${name}: ${whatIsIn(read)}`;
  const [first] = stayed;
  if (!first) return [line];
  if (stayed.length === 1) return [`${line}. Stayed text: ${stayedIn(first)}`];

  const shown = stayed.slice(0, MOST_LINES).map((text) => `  ${stayedIn(text)}`);
  const more = stayed.length - shown.length;
  return [
    `${line}. Stayed text:`,
    ...shown,
    ...(more > 0 ? [`  and ${counted(more, 'more line')}`] : []),
  ];
}

function whatIsIn({ trades, fields, missed, words, pictures }: ReadBack): string {
  const parts = [
    tradesIn(trades),
    fields.map(fieldName).join(', '),
    missed === 0 ? '' : counted(missed, 'missed trade'),
    words === 0 ? '' : counted(words, 'word'),
    pictures === 0 ? '' : counted(pictures, 'picture'),
  ];
  return parts.filter((part) => part !== '').join('; ') || 'nothing';
}

/** HOOD 145 C, AMD 160/155 P (3 fields each) */
function tradesIn(trades: ReadBack['trades']): string {
  const counts = new Set(trades.map(({ fields }) => fields.length));
  const [only = 0] = counts;
  if (trades.length > 1 && counts.size === 1) {
    const each = only === 0 ? '' : ` (${counted(only, 'field')} each)`;
    return `${trades.map(({ name }) => name).join(', ')}${each}`;
  }

  return trades
    .map(({ name, fields: { length } }) =>
      length === 0 ? name : `${name} (${counted(length, 'field')})`,
    )
    .join(', ');
}

/** review.lesson is shown as lesson, sleep_hours as sleep. */
function fieldName(field: string): string {
  const name = field.slice(field.lastIndexOf('.') + 1);
  return name.replace(/_hours$/, '').replaceAll('_', ' ');
}

function stayedIn({ line, text, reason }: StayedText): string {
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
  return `line ${line} '${shown}' (${reason})`;
}
