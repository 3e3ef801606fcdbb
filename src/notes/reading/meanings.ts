/**
 * The second pass: each block gets the meaning that the first rule of its kind finds, by
 * what the block says and by what is open there. What no rule takes is text of the part
 * that is open.
 */
import { MONTHS, WEEKDAYS } from '../../time.ts';
import { type Block, CALLOUT_LEVEL, type Row } from './blocks.ts';
import { fieldNamed, headingNamed, isText, type ListKind } from './field-names.ts';
import { flagIn } from './field-values.ts';
import { LINE_LEVEL, type Outline } from './outline.ts';
import { type Part, type Stated, statedIn, textFieldOf, traderStated } from './part.ts';
import { type Title, titleIn } from './titles.ts';
import { ambiguous, dateIn } from './written-dates.ts';

type Kinds = Block['kind'];
type BlockOf<K extends Kinds> = Extract<Block, { kind: K }>;
type Heading = BlockOf<'heading'>;
type Line = BlockOf<'text'>;
type Table = BlockOf<'table'>;

/** What a block means. */
export type Meaning =
  | { is: 'nothing' }
  | { is: 'text' }
  /** Reported; unless it takes the block, the next rules are tried. */
  | { is: 'problem'; part: Part; message: string; takesBlock: boolean }
  /** All until the next day is skipped. */
  | { is: 'template' }
  | { is: 'day'; date: string; isTitle: boolean }
  | { is: 'date'; date: string }
  | { is: 'trade'; scope: 'trade' | 'missed'; title: Title; level: number }
  | { is: 'trade again'; part: Part }
  | {
      is: 'trade on a line';
      scope: 'trade' | 'missed';
      title: Title;
      text: string;
      indent: number;
    }
  /** Begins the text of a field. */
  | { is: 'text of'; field: string; level: number }
  | { is: 'end of text' }
  | { is: 'list of'; kind: ListKind; level: number }
  | { is: 'heading of the user' }
  | { is: 'field'; stated: Stated }
  | { is: 'exact'; field: string; text: string }
  | { is: 'item'; part: Part; field: string; item: unknown }
  | { is: 'fields'; header: readonly Row[]; rows: readonly Row[]; hasValues: boolean }
  | {
      is: 'trades';
      scope: 'trade' | 'missed';
      head: readonly Row[];
      rows: readonly TradeRow[];
    };

/** A trade, with its cells; a total; or text. */
type TradeRow = { row: Row; cells: readonly Cell[] } | { row: Row; isTotal: boolean };

/** A cell with the name of its column. */
interface Cell {
  name: string;
  cell: string;
}

type Rule<B> = (block: B, open: Outline) => Meaning | undefined;

/** What a heading may begin before it closes anything. */
const DAY_RULES: readonly Rule<Heading>[] = [templateOf, dayOf];

/** In the order in which they are tried. */
const RULES: { [K in Kinds]: readonly Rule<BlockOf<K>>[] } = {
  heading: [laterTextOf, tradeOf, namedHeading, () => ({ is: 'heading of the user' })],
  text: [checkOf, boldHeading, fieldOf, goalOf, nextGoalOf, bulletTradeOf],
  table: [tradesOf, fieldsOf],
  exact: [exactOf],
  rule: [endOfText],
  blank: [],
  code: [],
  end: [],
};

/**
 * The meaning of a block. A heading is tried as that of a day first, and then once it has
 * closed what it ends.
 */
export function meaningOf(
  block: Block,
  open: Outline,
  isDay = false,
): Meaning | undefined {
  const rules = (isDay ? DAY_RULES : RULES[block.kind]) as readonly Rule<Block>[];
  for (const rule of rules) {
    const meaning = rule(block, open);
    if (meaning?.is === 'problem') meaning.part.problem(block.number, meaning.message);
    if (meaning && (meaning.is !== 'problem' || meaning.takesBlock)) return meaning;
  }
  return isDay ? undefined : { is: 'text' };
}

// Headings.

function templateOf(
  { title, level, facts }: Heading,
  open: Outline,
): Meaning | undefined {
  const mayBe = open.takesTrades && level < CALLOUT_LEVEL && facts?.id === undefined;
  return mayBe && /\bY{4}-M{2}-D{2}\b/.test(title) ? { is: 'template' } : undefined;
}

/** Words of a day's heading besides its date. */
const OF_DAY: ReadonlySet<string> = new Set([
  'session',
  'day',
  'daily',
  'trading',
  'trade',
  'journal',
  'log',
  'note',
  'notes',
  'diary',
  'recap',
  'week',
  ...[...WEEKDAYS, ...MONTHS]
    .map((name) => name.toLowerCase())
    .flatMap((name) => [name, name.slice(0, 3)]),
  'tues',
  'thurs',
  'sept',
  'st',
  'nd',
  'rd',
  'th',
]);

function dayOf(heading: Heading, open: Outline): Meaning | undefined {
  const { title, level } = heading;
  if (!open.takesTrades || level === CALLOUT_LEVEL || !isTitleOfDay(heading))
    return undefined;

  const found = dateIn(title);
  if (!found) return undefined;
  if ('date' in found) return { is: 'day', date: found.date, isTitle: level === 1 };

  const isKnown = open.day.date !== undefined || open.facts.date !== undefined;
  if (isKnown) return level === 1 ? { is: 'nothing' } : undefined;

  const message = ambiguous(found, 'write it as');
  return { is: 'problem', part: open.day.session, message, takesBlock: level === 1 };
}

/**
 * Whether a heading with a date is that of a day: below the first level, by all its
 * words.
 */
function isTitleOfDay({ title, level, facts }: Heading): boolean {
  const isOfTrade =
    facts?.id !== undefined ||
    (facts?.number !== undefined && facts.symbol !== undefined);
  if (isOfTrade || /\d:\d\d/.test(title)) return false;

  const letters = title.toLowerCase().match(/\p{L}+/gu) ?? [];
  return level === 1 || letters.every((word) => OF_DAY.has(word));
}

/** A heading with only the number of an earlier trade: "Trade 2 review". */
function laterTextOf({ facts }: Heading, open: Outline): Meaning | undefined {
  if (!open.takesTrades || facts?.symbol !== undefined || facts?.clock) return undefined;

  const part = facts && open.day.numbered.get(String(facts.number));
  return part && { is: 'trade again', part };
}

function tradeOf(
  { title: words, level, facts: title }: Heading,
  open: Outline,
): Meaning | undefined {
  if (!open.takesTrades || !title || !namesTrade(title)) return undefined;
  if (title.id === undefined && headingNamed(words, open.scope)) return undefined;

  const isMissed =
    title.isMissed || (open.list?.kind === 'missed' && title.clock !== undefined);
  return { is: 'trade', scope: isMissed ? 'missed' : 'trade', title, level };
}

function namesTrade({ id, clock, number, symbol, side, rest }: Title): boolean {
  const isTraded = symbol !== undefined && (side !== undefined || rest === '');
  return isTraded || id !== undefined || clock !== undefined || number !== undefined;
}

function namedHeading({ title, level }: Heading, open: Outline): Meaning | undefined {
  const known = headingNamed(title, open.scope);
  if (known?.kind === 'text') return { is: 'text of', field: known.field, level };
  if (known?.kind === 'container') return { is: 'nothing' };
  return known && { is: 'list of', kind: known.kind, level };
}

// Lines.

/** A check box is a rule of a trade, or a goal below a heading of goals or rules. */
function checkOf({ check }: Line, open: Outline): Meaning | undefined {
  if (!check || flagIn(check.text) !== undefined) return undefined;

  const { text, isDone } = check;
  const { part, list } = open;
  if (part?.scope === 'trade' && !open.text)
    return { is: 'item', part, field: 'rules', item: { rule: text, followed: isDone } };
  if (part || list?.kind !== 'goals') return undefined;

  return {
    is: 'item',
    part: open.day.session,
    field: 'goals',
    item: { text, met: isDone },
  };
}

function boldHeading({ bold }: Line, open: Outline): Meaning | undefined {
  const known = bold === undefined ? undefined : headingNamed(bold, open.scope);
  return known?.kind === 'text'
    ? { is: 'text of', field: known.field, level: LINE_LEVEL }
    : undefined;
}

function fieldOf({ label }: Line, open: Outline): Meaning | undefined {
  if (!label) return undefined;

  const { name, value, form } = label;
  const { scope, current } = open;
  const field = fieldNamed(name, scope);
  if (field === undefined) {
    const mayBe = form === 'dataview' && !open.text?.mayBeTrade;
    const named = mayBe ? traderStated(current, name, value) : undefined;
    return named && named.is !== 'text only' ? { is: 'field', stated: named } : undefined;
  }
  if (!mayBeField(form, field, open)) return undefined;
  if (scope === 'session' && field === 'date') return dateOf(value, open);

  const stated = statedIn(scope, name, value);
  const isSure =
    form !== 'plain' || (stated?.is !== 'empty' && stated?.is !== 'unreadable');
  return stated && isSure ? { is: 'field', stated } : undefined;
}

/** Within a text, only some lines are fields. */
function mayBeField(
  form: 'dataview' | 'bold' | 'plain',
  field: string,
  { text }: Outline,
): boolean {
  if (!text || form === 'dataview') return true;
  if (form === 'plain') return false;
  return text.level === LINE_LEVEL || (!text.isOfUser && isText(field));
}

function dateOf(text: string, { day }: Outline): Meaning | undefined {
  const found = dateIn(text);
  if (!found) return undefined;
  if ('date' in found) return { is: 'date', date: found.date };

  const message = ambiguous(found, 'write it as');
  return { is: 'problem', part: day.session, message, takesBlock: true };
}

function goalOf({ bullet }: Line, { part, list, day }: Outline): Meaning | undefined {
  if (!bullet || part || list?.kind !== 'goals') return undefined;
  return {
    is: 'item',
    part: day.session,
    field: 'goals',
    item: { text: bullet.text, met: null },
  };
}

/** A check box is none of its text: whether it was met is not known yet. */
function nextGoalOf(
  { bullet, check }: Line,
  { list, day }: Outline,
): Meaning | undefined {
  if (!bullet || list?.kind !== 'next_goals') return undefined;
  const item = check?.text ?? bullet.text;
  return { is: 'item', part: day.session, field: 'next_goals', item };
}

/** A bullet with a trade or missed trade: - 10:25 short MGC 4214.6 -> 4216.2 */
function bulletTradeOf({ bullet }: Line, open: Outline): Meaning | undefined {
  if (!bullet || open.part || open.text || !open.takesTrades) return undefined;

  const { text, indent } = bullet;
  const title = titleIn(text);
  if (
    title?.clock === undefined ||
    title.symbol === undefined ||
    title.side === undefined
  )
    return undefined;

  const scope = open.list?.kind === 'missed' || title.isMissed ? 'missed' : 'trade';
  return { is: 'trade on a line', scope, title, text, indent };
}

// Tables.

/** A table with a symbol and a time or number has one trade per row. */
function tradesOf(
  { rows: [header, rule, ...rows] }: Table,
  open: Outline,
): Meaning | undefined {
  if (!header || !rule || open.part || open.facts.scope === 'week') return undefined;

  const scope = open.list?.kind === 'missed' ? 'missed' : 'trade';
  const fields = header.cells.map((name) => fieldNamed(name, scope));
  const isNaming = (field: string | undefined) => field === 'time' || field === 'number';
  if (!fields.includes('symbol') || !fields.some(isNaming)) return undefined;

  const tradeOfRow = (row: Row): TradeRow => {
    const isNamed = row.cells.some(
      (cell, index) => isNaming(fields[index]) && /\d/.test(cell),
    );
    if (isTotal(row.cells)) return { row, isTotal: true };
    if (!isNamed) return { row, isTotal: false };

    const cells = header.cells.flatMap((name, index) => {
      const cell = row.cells[index] ?? '';
      return isEmptyCell(cell) ? [] : { name, cell };
    });
    return { row, cells };
  };

  const filled = rows.filter(({ cells }) => !cells.every(isEmptyCell));
  return { is: 'trades', scope, head: [header, rule], rows: filled.map(tradeOfRow) };
}

/**
 * What a cell states of the trade of its row: if its column is no field, it stays as
 * text.
 */
export function statedInCell(part: Part, { name, cell }: Cell): Stated {
  const stated = statedIn(part.scope, name, cell);
  if (stated) return stated;

  const named = name === '' ? undefined : traderStated(part, name, cell);
  if (named && named.is !== 'text only') return named;

  const text = name === '' ? cell : `${name}: ${cell}`;
  return { is: 'text', field: textFieldOf(part.scope), text };
}

/** The name above the values of a table of fields. */
const VALUES = /^[*_\s]*values?[*_\s]*$/i;

/** A table of two columns has a field per row. Rows with other names are text. */
function fieldsOf({ rows }: Table, open: Outline): Meaning | undefined {
  const [header, rule, ...others] = rows as [Row, Row, ...Row[]];
  if (header.cells.length !== 2 || (!open.part && open.text)) return undefined;

  const hasValues = VALUES.test(header.cells[1] ?? '');
  return { is: 'fields', header: [header, rule], rows: others, hasValues };
}

/**
 * What a row of a table of fields states; why it is text; or nothing.
 * @param hasValues whether other names than those of fields are the trader's
 */
export function statedInRow(part: Part, row: Row, hasValues: boolean) {
  const [name = '', value = ''] = row.cells;
  if (isEmptyCell(value)) return { is: 'empty' } as const;

  const stated = statedIn(part.scope, name, value);
  if (stated) return stated;
  return hasValues ? traderStated(part, name, value) : undefined;
}

function isEmptyCell(cell: string): boolean {
  return /^[-–—]?$/.test(cell);
}

function isTotal([first = '']: readonly string[]): boolean {
  return /^(?:totals?|sum|Σ)$/i.test(first.replaceAll(/[*_: ]/g, ''));
}

// Other blocks.

/** The figures of a printed week are only shown. */
function exactOf({ field, text }: BlockOf<'exact'>): Meaning {
  return field === 'figures' ? { is: 'nothing' } : { is: 'exact', field, text };
}

function endOfText(_: BlockOf<'rule'>, { text }: Outline): Meaning | undefined {
  return text && !text.isOfUser ? { is: 'end of text' } : undefined;
}
