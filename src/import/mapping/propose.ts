/** Proposes a mapping for an unknown file from the names and cells of its columns, with open questions and their answers. */
import { UserError } from '../../errors.ts';
import type { CsvRow } from '../parse/csv-rows.ts';
import type { DayOrder } from '../parse/date-order.ts';
import { decodeOlder, isZip } from '../parse/open-file.ts';
import type { DateFormat } from '../table/clock.ts';
import { neededFields } from './load.ts';
import { fittedToPnl } from './propose/amounts.ts';
import {
  type ColumnSeen,
  decimalSeen,
  delimiterSeen,
  isDated,
  isMixed,
  isNumeric,
  isPriced,
  type TableSeen,
  tableSeen,
  thousandsSeen,
} from './propose/columns.ts';
import { Draft, type Patch, type Question, type Settings } from './propose/draft.ts';
import { FILL_IN, secondPrice, type Target } from './propose/fields.ts';
import { askForLost, askForSkipped, skipIncomplete, skipNotes } from './propose/left-out.ts';
import { datesOf, lackOffset, oneOf, orderShown, strangeEnd, zoneIn } from './propose/times.ts';
import type { Meaning } from './propose/vocabulary.ts';
import { columnsRead, type Mapping } from './schema.ts';
import { rawTables } from './table.ts';

export type { Patch, Question };

export interface Proposal {
  mapping: Mapping;
  questions: Question[];
}

/**
 * @param bytes of a CSV or xlsx file
 * @param stem its name without folder and extension, from which the mapping is named
 * @throws RowError if it isn't such a file; UserError if no target fits its columns
 */
export function proposedMapping(bytes: Buffer, stem: string, settings: Settings): Proposal {
  const delimiter = isZip(bytes.toString('latin1', 0, 4)) ? undefined : delimiterSeen(decodeOlder(bytes));
  const tables = rawTables(bytes, () => delimiter);
  const { draft, target, table, others } = chosen(tables, stem);
  if (others > 0) {
    const text = `${others + 1} sheets of the workbook look like tables of trades; one is read. Is it the one with ${namesOf(draft)}? Save any other as a separate file.`;
    draft.ask('sheets', text, { yes: {} });
  }
  FILL_IN[target](draft, settings);
  const mapping = assembled(draft, target, stem, settings, delimiter, table);
  return { mapping: fittedToPnl(mapping, bytes, settings, draft), questions: draft.questions };
}

/**
 * The first sheet of a workbook with trades, else the first with any target; a CSV file is one sheet.
 * @returns the sheet, its target, and the number of further sheets with trades
 * @throws UserError if no sheet has a table, or no target fits the columns
 */
function chosen(tables: readonly (readonly CsvRow[])[], stem: string) {
  const seen = tables.flatMap((rows) => {
    const table = seenIn(rows, tables.length > 1);
    if (!table || table.columns.every(({ cells }) => cells.length === 0)) return [];
    const draft = new Draft(table.columns);
    return [{ table, draft, target: targetFor(draft, stem) }];
  });
  const [first] = seen;
  if (!first) throw new UserError('no table in this file; it needs a header with column names and rows below it');
  const known = seen.flatMap(({ target, ...own }) => (target ? [{ ...own, target }] : []));
  const traded = known.filter(({ target }) => target === 'fills' || target === 'trades');
  const best = traded[0] ?? known[0];
  if (!best) throw unfit(first.draft);
  return { ...best, others: Math.max(0, traded.length - 1) };
}

/** @param isOneOfSeveral whether to try another sheet if this one can't be read */
function seenIn(rows: readonly CsvRow[], isOneOfSeveral: boolean): TableSeen | undefined {
  try {
    return tableSeen(rows);
  } catch (error) {
    if (isOneOfSeveral && error instanceof UserError) return undefined;
    throw error;
  }
}

/** The target that fits the columns. */
function targetFor(draft: Draft, stem: string): Target | undefined {
  const has = (meaning: Meaning, test?: (column: ColumnSeen) => boolean) => draft.best(meaning, test) !== undefined;
  const hasBothEnds = (has('entry_price', isPriced) && has('exit_price', isPriced)) || secondPrice(draft) !== undefined;
  if (has('symbol')) {
    if (/miss/i.test(stem)) return 'missed-trades';
    if (hasBothEnds) return 'trades';
    if (missingOfFills(draft).length === 0) return 'fills';
  }
  if (has('trade_id') && has('notes') && !has('price', isNumeric)) return 'trade-journals';
  const texts = ['notes', 'plan', 'mood', 'lesson', 'went_well', 'went_wrong'] as const;
  const isTraded = (['symbol', 'quantity', 'price', 'amount'] as const).some((meaning) => has(meaning, isNumeric));
  return has('date', isDated) && !isTraded && texts.some((meaning) => has(meaning)) ? 'sessions' : undefined;
}

/** What fills need, in words, that no column has. */
function missingOfFills(draft: Draft): string[] {
  const [quantity] = draft.fitting('quantity', isNumeric);
  const hasOther = (meaning: Meaning) => draft.fitting(meaning, isNumeric).some((own) => own !== quantity);
  const isPaid = hasOther('price') || (draft.best('side') !== undefined && hasOther('amount'));
  return [
    ...(draft.best('symbol') ? [] : ['a symbol']),
    ...(quantity ? [] : ['a quantity']),
    ...(isPaid ? [] : ['a price, or an amount with a side']),
  ];
}

function unfit(draft: Draft): UserError {
  const missing = missingOfFills(draft);
  const coins = draft.fitting('currency', ({ cells }) => cells.every((cell) => /^[A-Z0-9]{2,10}$/.test(cell)));
  const why =
    coins.length > 1
      ? 'its rows exchange an amount in one currency for an amount in another, which no mapping reads'
      : `fills need ${missing.join(', ')}, which no column has by its name and cells`;
  return new UserError(
    `no target fits the columns ${namesOf(draft)}; ${why}; export fills with symbol, quantity and price, or write a mapping by hand (docs/mapping.md)`,
  );
}

function namesOf({ columns }: Draft): string {
  return columns
    .map(({ name }) => name)
    .join(', ')
    .slice(0, 300);
}

/** Fields with a time of a trade or a day. */
const TIMES = ['executed_at', 'closed_at', 'missed_at', 'created_at', 'date'];

function assembled(
  draft: Draft,
  target: Target,
  stem: string,
  { user, timeZone, dates: typed }: Settings,
  delimiter: Mapping['delimiter'],
  { hasNotes, totals }: TableSeen,
): Mapping {
  const read = new Set(columnsRead({ name: '', target, fields: draft.fields }));
  const used = draft.columns.filter(({ name }) => read.has(name));
  const timed = TIMES.flatMap((field) => draft.sourcesOf(field));
  const numbers = used.filter((column) => isNumeric(column) && !timed.includes(column));
  const stated = decimalSeen(numbers);
  const decimal = stated ?? '.';
  const expiration = draft.columnOf('expiration');
  const dated = timed.filter((column) => isDated(column) && column !== expiration);
  const order = orderShown([...dated, expiration]) ?? typed;
  const dates = datesOf(draft, dated, decimal, order);
  if (expiration) putDates(draft, expiration, { usual: dates, decimal, order });
  const thousands = thousandsSeen(numbers);
  const zone = timeZone ?? zoneIn(timed);
  askForZone(draft, timed, zone, user.timezone);
  for (const { column, word } of totals) draft.skip.push({ column, is: [word], reason: 'total' });
  skipIncomplete(draft, target);
  if (hasNotes) skipNotes(draft);
  const left = askForSkipped(draft, target);
  for (const check of draft.checks) check(left);
  for (const field of neededFields({ target, fields: draft.fields })) {
    if (draft.fields[field] !== undefined) continue;
    const text = `Which column has ${field}? None fits by its name and cells.`;
    draft.ask(field, text, { 'none; nothing can be imported yet': {} });
  }
  askForLost(draft, new Set(columnsRead({ name: '', target, fields: draft.fields, skip: draft.skip })), left);
  const isEither = isMixed(numbers, decimal);
  if (isEither) {
    const text = 'Some numbers have a decimal point and some a decimal comma. Is each read as it is written?';
    draft.ask('decimal', text, { yes: {}, 'no, so numbers with the other mark stop the import': { decimal } });
  }
  return {
    name: nameFrom(stem),
    target,
    ...(delimiter !== undefined && delimiter !== ',' && { delimiter }),
    ...(isEither ? { decimal: 'either' } : stated === ',' && { decimal }),
    ...(thousands !== undefined && { thousands }),
    ...(dates !== undefined && { dates: oneOf(dates) }),
    ...(zone !== undefined && { zone }),
    fields: draft.fields,
    ...(draft.skip.length > 0 && { skip: draft.skip }),
  };
}

/** Asks for the zone of times without an offset, or with a word in its place that names none. */
function askForZone(draft: Draft, timed: readonly ColumnSeen[], zone: string | undefined, own: string): void {
  const ending = strangeEnd(timed);
  if (ending !== undefined) {
    for (const field of TIMES) {
      const columns = draft.sourcesOf(field).map(({ name }) => name);
      if (columns.length > 0) draft.put(field, { column: oneOf(columns), ending });
    }
    const text = `Times end in ${ending}, which names no known time zone. Which is the file's time zone?`;
    draft.ask('zone', text, { [own]: {} }, { typed: 'zone' });
  } else if (zone === undefined && lackOffset(timed)) {
    draft.ask('zone', "Which is the file's time zone?", { [own]: {} }, { typed: 'zone', isAssumed: true });
  }
}

/** Sets the date format of expirations if it differs from the rest. */
function putDates(
  draft: Draft,
  column: ColumnSeen,
  { usual, decimal, order }: { usual: DateFormat[] | undefined; decimal: '.' | ','; order: DayOrder | undefined },
): void {
  const assumed = usual?.find((format) => format === 'dmy' || format === 'mdy');
  const own = datesOf(draft, [column], decimal, order ?? assumed);
  if (String(own ?? 'ymd') !== String(usual ?? 'ymd')) {
    draft.put('expiration', { column: column.name, dates: oneOf(own ?? ['ymd']) }, column);
  }
}

function nameFrom(stem: string): string {
  const name = stem
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 20)
    .replace(/-$/, '');
  return name === '' ? 'own' : name;
}

/** A mapping changed by an answer. */
export function patched(mapping: Mapping, { fields, ...rest }: Patch): Mapping {
  const changed = Object.entries({ ...mapping.fields, ...fields }).filter(([, source]) => source !== undefined);
  return { ...mapping, ...rest, fields: Object.fromEntries(changed) as Mapping['fields'] };
}

/** A mapping with its open questions, for a file written without a terminal. */
export function withQuestions({ mapping, questions }: Proposal): Mapping {
  const open = questions.filter(({ isAssumed }) => !isAssumed);
  if (open.length === 0) return mapping;
  const unsure = open.map(({ about, text, answers }) => {
    const others = answers.slice(1).map(({ label }) => label);
    const or = others.length > 0 ? ` (or: ${others.join('; ')})` : '';
    return [about, `${text} Assumed: ${answers[0]?.label}${or}.`] as const;
  });
  return { ...mapping, unsure: Object.fromEntries(unsure) };
}
