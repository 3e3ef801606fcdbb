/** Reads the blocks of a note one after the other, and does what they mean. */
import { type Block, CALLOUT_LEVEL, type Row } from './blocks.ts';
import { missedIn } from './field-values.ts';
import { type Meaning, meaningOf, statedInCell, statedInRow } from './meanings.ts';
import { LINE_LEVEL, type Outline } from './outline.ts';
import { NEEDS_OF_ROW, whyText } from './stayed-text.ts';
import type { Title } from './titles.ts';

type Heading = Extract<Block, { kind: 'heading' }>;

export function readBlocks(blocks: readonly Block[], outline: Outline): void {
  for (const block of blocks) {
    if (block.kind === 'heading') readHeading(block, outline);
    else if (!outline.isTemplate) readBlock(block, outline);
  }
}

function readHeading(block: Heading, outline: Outline): void {
  const day = meaningOf(block, outline, true);
  if (day) {
    outline.isAtTop = false;
    return apply(day, block, outline);
  }
  if (outline.isTemplate) return;

  outline.close(block.level);
  outline.keepNumbers();
  const meaning = meaningOf(block, outline);
  apply(meaning, block, outline);
  outline.isAtTop = false;
  // A trade begins with its heading.
  if (meaning?.is !== 'trade') outline.part?.raw.push(block.raw);
}

function readBlock(block: Exclude<Block, Heading>, outline: Outline): void {
  if (block.kind !== 'table') outline.closeBullet(block);
  for (const { raw } of linesOf(block)) outline.part?.raw.push(raw);
  if (block.kind === 'end') outline.closeCallout();
  else apply(meaningOf(block, outline), block, outline);
}

function linesOf(block: Block): readonly { number: number; raw: string }[] {
  return block.kind === 'table' ? block.rows : [block];
}

type MeaningOf<I extends Meaning['is']> = Extract<Meaning, { is: I }>;

const ACTIONS: {
  [I in Meaning['is']]: (meaning: MeaningOf<I>, block: Block, outline: Outline) => void;
} = {
  nothing: () => {},
  problem(_, { kind }, outline) {
    if (kind === 'text') outline.closeBold();
  },
  template(_, __, outline) {
    outline.isTemplate = true;
    outline.skipped.push('template');
  },
  day({ date, isTitle }, { number }, outline) {
    outline.isTemplate = false;
    const { day } = outline;
    if (day.date === undefined && isTitle) day.date = date;
    else if (day.date !== date) outline.beginDay(date, number);
    else outline.leavePart();
  },
  date({ date }, _, outline) {
    outline.closeBold();
    outline.day.date ??= date;
  },
  trade({ scope, title, level }, block, outline) {
    outline.beginPart(block, scope, level, { title });
  },
  'trade again'({ part }, { number }, outline) {
    outline.continuePart(part, number);
  },
  'trade on a line'({ scope, title, text, indent }, block, outline) {
    const { number } = block;
    const part = outline.beginPart(block, scope, LINE_LEVEL, {
      title: { ...title, rest: '' },
      indent,
    });
    const values = scope === 'missed' ? missedIn(afterTitle(text, title)) : {};
    for (const [field, value] of Object.entries(values)) part.set(field, value, number);
    part.addText(part.textField, text, number);
  },
  'text of'({ field, level }, _, outline) {
    outline.text = { field, level, isOfUser: false };
  },
  'end of text'(_, __, outline) {
    outline.text = undefined;
  },
  'list of'({ kind, level }, _, outline) {
    outline.list = { kind, level };
  },
  'heading of the user': headingOfUser,
  field({ stated }, { number }, outline) {
    outline.closeBold();
    outline.current.put(stated, number);
  },
  exact({ field, text }, { number }, outline) {
    outline.current.set(field, text, number);
  },
  item({ part, field, item }, { number }) {
    part.append(field, item, number);
  },
  fields({ header, rows, hasValues }, _, outline) {
    const left = rows.filter((row) => !putRow(row, hasValues, outline));
    for (const row of left.length === 0 ? [] : [...header, ...left]) outline.write(row);
  },
  trades({ scope, head, rows }, _, outline) {
    const lines = head.map(({ raw }) => raw);
    const left: Row[] = [];
    for (const read of rows) {
      if ('isTotal' in read) {
        if (read.isTotal) outline.skipped.push('total line');
        else left.push(read.row);
        continue;
      }

      const { row, cells } = read;
      const part = outline.beginPart(row, scope, LINE_LEVEL, {});
      part.head = lines;
      for (const cell of cells) part.put(statedInCell(part, cell), row.number);
      outline.leavePart();
    }

    keepRows(left, head, outline);
  },
  text(_, block, outline) {
    keepWhy(block, outline);
    for (const line of linesOf(block)) outline.write(line);
  },
};

function apply(meaning: Meaning | undefined, block: Block, outline: Outline): void {
  if (meaning)
    (ACTIONS[meaning.is] as (...of: unknown[]) => void)(meaning, block, outline);
}

/** @returns whether a row of a table of fields is one; else it stays text */
function putRow(row: Row, hasValues: boolean, { current, day }: Outline): boolean {
  const stated = statedInRow(current, row, hasValues);
  if (stated && stated.is !== 'text only') {
    current.put(stated, row.number);
    return true;
  }

  if (stated)
    day.stayed.push({ line: row.number, text: row.raw.trim(), reason: stated.reason });
  return false;
}

/**
 * A heading of the user's own stays in the text, as does the title of a callout; that of
 * a note about one trade doesn't. Below the title of a day's note fields count as above
 * it.
 */
function headingOfUser(_: unknown, block: Block, outline: Outline): void {
  const { level, title, raw, number } = block as Heading;
  const { part, text } = outline;
  if (level === 1 && part?.isWholeNote) return;

  const why = keepWhy(block, outline);

  const isCallout = level === CALLOUT_LEVEL;
  const field = outline.textField;
  outline.current.addText(field, isCallout ? title : raw, number);

  const isBelowOther = text?.isOfUser === true && level > text.level;
  const isTitle = level === 1 && outline.isAtTop;
  if (!part && !isBelowOther && !isTitle)
    outline.text = { field, level, isOfUser: true, mayBeTrade: why !== undefined };
}

/** Rows of a table of trades that name none are text, with the table's head. */
function keepRows(rows: readonly Row[], head: readonly Row[], outline: Outline): void {
  if (rows.length === 0) return;

  for (const row of [...head, ...rows]) outline.write(row);
  for (const { number: line, raw } of rows)
    outline.day.stayed.push({ line, text: raw.trim(), reason: NEEDS_OF_ROW });
}

/** Keeps a line that looks like a field or a trade, and why it is text. */
function keepWhy(block: Block, outline: Outline): ReturnType<typeof whyText> {
  const why = whyText(block, outline);
  if (why)
    outline.day.stayed.push({ line: block.number, text: block.raw.trim(), ...why });
  return why;
}

/** The text of a bullet after side and symbol. */
function afterTitle(text: string, { symbol, side }: Title): string {
  const endOf = (start: number, word = '') => start + word.length;
  const at = Math.max(
    endOf(text.indexOf(symbol ?? ''), symbol),
    endOf(text.toLowerCase().indexOf(side ?? ''), side),
  );
  return text.slice(at).replace(/^[,: ]+/, '');
}
