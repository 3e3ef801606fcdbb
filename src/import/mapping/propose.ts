/** Proposes a mapping for an unknown file from the names and cells of its columns, with open questions. */
import { UserError } from '../../errors.ts';
import type { CsvRow } from '../parse/csv-rows.ts';
import { decodeOlder, isZip } from '../parse/open-file.ts';
import type { DateFormat } from '../table/clock.ts';
import { skipper } from '../table/skip-rules.ts';
import { neededFields } from './load.ts';
import type { Proposal, Settings } from './proposal.ts';
import { rough } from './propose/amounts.ts';
import {
  type ColumnSeen,
  decimalSeen,
  delimiterSeen,
  isDay,
  isNumeric,
  isSerial,
  type TableSeen,
  tableSeen,
  thousandsSeen,
} from './propose/columns-seen.ts';
import { Draft } from './propose/draft.ts';
import { FILL_IN, hasLetters, isPriced, type Target } from './propose/fields.ts';
import { fitOf, type Meaning } from './propose/names.ts';
import { fittedToPnl } from './propose/pnl.ts';
import { datesOf, lackOffset, oneOf, zoneIn } from './propose/times.ts';
import { columnsRead, type Mapping } from './schema.ts';
import { columnNames, rawTables } from './table.ts';

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
    draft.ask({
      about: 'sheets',
      text: `${others + 1} sheets of the workbook look like tables of trades; one is read. Is it the one with ${namesOf(table)}? Save any other as a separate file.`,
      answers: [{ label: 'yes', patch: {} }],
    });
  }
  FILL_IN[target](draft, settings);
  const mapping = assembled(draft, target, stem, settings, delimiter, table.hasNotes);
  return { mapping: fittedToPnl(mapping, bytes, settings, draft), questions: draft.questions };
}

interface Chosen {
  table: TableSeen;
  draft: Draft;
  target: Target;
  /** Further sheets with trades. */
  others: number;
}

/**
 * The first sheet of a workbook with trades, else the first with any target; a CSV file is one sheet.
 * @throws UserError if no sheet has a table, or no target fits the columns
 */
function chosen(tables: readonly (readonly CsvRow[])[], stem: string): Chosen {
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
  if (!best)
    throw new UserError(
      `no target fits the columns ${namesOf(first.table)}; write a mapping by hand (docs/mapping.md)`,
    );
  return { ...best, others: Math.max(0, traded.length - 1) };
}

/** @param isOneOfSeveral whether to try another sheet if this one can't be read */
function seenIn(rows: readonly CsvRow[], isOneOfSeveral: boolean): TableSeen | undefined {
  try {
    return tableSeen(rows, columnNames);
  } catch (error) {
    if (isOneOfSeveral && error instanceof UserError) return undefined;
    throw error;
  }
}

/** The target that fits the columns. */
function targetFor(draft: Draft, stem: string): Target | undefined {
  const has = (meaning: Meaning, test?: (column: ColumnSeen) => boolean) => draft.best(meaning, test) !== undefined;
  const isTime = (column: ColumnSeen) => isDay(column) || isSerial(column);
  const isOf = (word: RegExp) => word.test(stem);
  const hasBothEnds = draft.columns.some(
    ({ name }) => fitOf(name.replace(/ \(2\)$/, ''), 'price') >= 2 && / \(2\)$/.test(name),
  );
  const hasSymbol = has('symbol', hasLetters) || has('symbol');
  if (hasSymbol && isOf(/miss/i)) return 'missed-trades';
  if (hasSymbol && ((has('entry_price', isPriced) && has('exit_price', isPriced)) || hasBothEnds)) return 'trades';
  const isPaid = has('price', isNumeric) || (has('amount', isNumeric) && has('side'));
  if (hasSymbol && isPaid && has('quantity', isNumeric)) return 'fills';
  if (has('trade_id') && has('notes') && !has('price', isNumeric)) return 'trade-journals';
  const texts = ['notes', 'plan', 'mood', 'lesson', 'went_well', 'went_wrong'] as const;
  return has('date', isTime) && texts.some((meaning) => has(meaning)) ? 'sessions' : undefined;
}

function namesOf({ columns }: TableSeen): string {
  return columns
    .map(({ name }) => name)
    .join(', ')
    .slice(0, 300);
}

function assembled(
  draft: Draft,
  target: Target,
  stem: string,
  { user, timeZone }: Settings,
  delimiter: Mapping['delimiter'],
  hasNotes: boolean,
): Mapping {
  const used = draft.columns.filter(({ name }) =>
    columnsRead({ name: '', target, fields: draft.fields }).includes(name),
  );
  const numbers = used.filter((column) => isNumeric(column) && !isDay(column));
  const decimal = decimalSeen(numbers);
  const times = used.filter((column) => isDay(column) || isSerial(column));
  const expiration = draft.columnOf('expiration');
  const dates = datesOf(
    draft,
    times.filter((column) => column !== expiration),
    decimal ?? '.',
  );
  if (expiration) putDates(draft, 'expiration', expiration, dates, decimal ?? '.');
  const thousands = thousandsSeen(numbers);
  const zone = timeZone ?? zoneIn(times);
  if (zone === undefined && lackOffset(used)) {
    draft.ask({
      about: 'zone',
      text: "Which is the file's time zone?",
      answers: [{ label: user.timezone, patch: {} }],
      typed: 'zone',
      isAssumed: true,
    });
  }
  skipIncomplete(draft, target);
  if (hasNotes) skipNotes(draft);
  askForSkipped(draft);
  for (const field of neededFields({ target, fields: draft.fields }).filter(
    (name) => draft.fields[name] === undefined,
  )) {
    draft.ask({
      about: field,
      text: `Which column has ${field}? None fits by its name and cells.`,
      answers: [{ label: 'none; nothing can be imported yet', patch: {} }],
    });
  }
  return {
    name: nameFrom(stem),
    target,
    ...(delimiter === undefined || delimiter === ',' ? {} : { delimiter }),
    ...(decimal === ',' ? { decimal } : {}),
    ...(thousands === undefined ? {} : { thousands }),
    ...(dates === undefined ? {} : { dates: oneOf(dates) }),
    ...(zone === undefined ? {} : { zone }),
    fields: draft.fields,
    ...(draft.skip.length > 0 ? { skip: draft.skip } : {}),
  };
}

/** Sets the date format of a column if it differs from the rest. */
function putDates(
  draft: Draft,
  field: string,
  column: ColumnSeen,
  usual: DateFormat[] | undefined,
  decimal: '.' | ',',
): void {
  const own = datesOf(draft, [column], decimal);
  if (String(own ?? 'ymd') !== String(usual ?? 'ymd')) {
    draft.put(field, { column: column.name, dates: oneOf(own ?? ['ymd']) }, column);
  }
}

/** Skips rows without required values: totals, deposits, disclaimers. */
function skipIncomplete(draft: Draft, target: Target): void {
  const needed = {
    fills: ['symbol', 'quantity', 'price', 'executed_at'],
    trades: ['symbol', 'quantity', 'entry_price'],
  };
  for (const field of target === 'fills' || target === 'trades' ? needed[target] : []) {
    const column = draft.columnOf(field);
    if (!column) continue;
    const nothing = new Set(column.all.filter((cell) => !column.cells.includes(cell)));
    if (field === 'quantity') for (const cell of column.cells) if (rough(cell) === 0) nothing.add(cell);
    const count = column.all.filter((cell) => nothing.has(cell)).length;
    if (count > 0 && count < column.all.length / 2) {
      draft.skip.push({ column: column.name, is: [...nothing], reason: `row without ${column.name}` });
    }
  }
}

/** Skips lines of text below the table, which fill only the first column. */
function skipNotes(draft: Draft): void {
  const column = ['quantity', 'price', 'entry_price', 'symbol']
    .map((field) => draft.columnOf(field))
    .find((own) => own !== undefined && own !== draft.columns[0]);
  const isSkipped = draft.skip.some((rule) => rule.column === column?.name && rule.is?.includes(''));
  if (column && !isSkipped) {
    draft.skip.push({ column: column.name, is: [''], reason: `row without ${column.name}` });
  }
}

/** Asks about skipped rows, with counts and examples. */
function askForSkipped(draft: Draft): void {
  const counts = new Map<string, { count: number; words: Set<string> }>();
  const rows = draft.columns[0]?.all.length ?? 0;
  const cellOf = (row: number, name: string) => draft.columns.find((column) => column.name === name)?.all[row] ?? '';
  const rules = draft.skip.map((rule) => ({ rule, reasonOf: skipper<number>([rule], cellOf) }));
  for (let row = 0; row < rows; row++) {
    const first = rules.find(({ reasonOf }) => reasonOf(row) !== undefined)?.rule;
    if (!first) continue;
    const reason = first.reason ?? `by ${first.column}`;
    const seen = counts.get(reason) ?? { count: 0, words: new Set() };
    const word = cellOf(row, first.column);
    if (word !== '') seen.words.add(`${first.column} ${word.slice(0, 40)}`);
    counts.set(reason, { count: seen.count + 1, words: seen.words });
  }
  if (counts.size === 0) return;
  const shown = [...counts].map(([reason, { count, words }]) => {
    const examples = [...words].slice(0, 3).join(', ');
    return `${count} ${reason}${examples === '' ? '' : ` (${examples}${words.size > 3 ? ', …' : ''})`}`;
  });
  const count = [...counts.values()].reduce((sum, own) => sum + own.count, 0);
  draft.ask({
    about: 'skip',
    text: `${count} of ${rows} rows are skipped: ${shown.join('; ')}. If any of them is a trade, change "skip".`,
    answers: [{ label: 'none is', patch: {} }],
  });
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
