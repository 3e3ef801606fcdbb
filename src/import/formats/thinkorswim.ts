/**
 * thinkorswim's account statement: sections, each with its own header. The fills are in
 * Account Trade History, often only to the minute; their costs and seconds are in Cash
 * Balance, Futures Statements and Forex Statements. In code because a declaration
 * describes a single table.
 */
import { quote, RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import { type CsvRow, csvRows, isEmpty } from '../../parse/csv-rows.ts';
import { assumedZone, usualZone } from '../../parse/times.ts';
import {
  type FileFill,
  oldestFirst,
  type Reading,
  reading,
  type StatedCash,
} from '../fills/reading.ts';
import { type Format, otherRows } from '../tables/format.ts';
import { KNOWN } from './known.ts';
import { cashOf, executionsOf, payFor, withoutExchange } from './thinkorswim-fills.ts';
import { coveredBy, positionsIn, settled } from './thinkorswim-positions.ts';

const CASH_SECTIONS = ['Cash Balance', 'Futures Statements', 'Forex Statements'];

/** Sections that a statement has once. */
const ONCE = [...CASH_SECTIONS, 'Account Trade History', 'Filled Orders'];

export const thinkorswim: Format = {
  ...KNOWN.thinkorswim,
  read: (text, context) => readSections(text, context, 'Account Trade History'),
};

/** One day without costs; the statement has the same fills with them. */
export const thinkorswimActivity: Format = {
  ...KNOWN['thinkorswim-activity'],
  read: (text, context) => readSections(text, context, 'Filled Orders'),
};

/**
 * The business day of the balance begins at midnight in Chicago, which the line has in
 * the zone of the statement's times.
 */
const DAY_BEGINS =
  /^(\d{1,2}\/\d{1,2}\/\d{2}),(?:[\d/]+,)?(\d\d):00:00,BAL,.* business day (\d\d)\.(\d\d) CST/m;

/** Zones of North America by their distance from Chicago, in hours. */
const ZONES: Readonly<Record<number, string>> = {
  1: 'America/New_York',
  0: 'America/Chicago',
  [-1]: 'America/Denver',
  [-2]: 'America/Los_Angeles',
};

function zoneIn(
  text: string,
  context: Parameters<typeof assumedZone>[0],
): ReturnType<typeof assumedZone> {
  const [, date = '', hour = '', day] = DAY_BEGINS.exec(text) ?? [];
  const isSameDay = Number(date.split('/')[1]) === Number(day);
  const zone = day === undefined ? undefined : ZONES[Number(hour) - (isSameDay ? 0 : 24)];
  if (zone === undefined) return assumedZone(context);
  return usualZone(context, zone, 'by the time at which its business day begins');
}

/** @param trades name of the section with the fills */
function readSections(
  text: string,
  context: Parameters<typeof assumedZone>[0],
  trades: string,
): Reading {
  const { zone, note } = zoneIn(text, context);
  // References are formulas, so that a spreadsheet keeps all digits.
  const sections = sectionsOf(csvRows(text.replaceAll(/="([^"]*)"/g, '$1')));
  const history = sections.get(trades);
  if (!history)
    throw new RowError(
      null,
      `no section "${trades}"; show it in thinkorswim and export again`,
      1,
    );

  const account = /(?:Statement|Trade Activity) for (\S+)/i.exec(text)?.[1] ?? null;
  const others = otherRows();
  const executions = executionsOf(history, zone, account);
  const traded = executions.flatMap(({ legs }) => legs);
  const cash = CASH_SECTIONS.map((name) =>
    cashOf(sections.get(name) ?? [], { zone, account, traded }, others),
  );

  const lines = cash.flatMap((section) => section.lines);
  const notes = [note, ...payFor(executions, lines, trades, others)];
  for (const [name, rows] of sections) {
    if (name !== trades && !CASH_SECTIONS.includes(name))
      others.skip(`row of section ${quote(name)}`, rows.length - 1);
  }

  const unclear = cash.flatMap((section) => section.unclear);
  if (unclear.length > 0) {
    notes.push(
      `${unclear.length} removals of options in unknown words close nothing (the first on line ${unclear[0]}); check these positions`,
    );
  }

  const removed = named(
    cash.flatMap((section) => section.removed),
    traded,
  );
  // Expirations are in the cash section too.
  const isCounted = new Set(removed.map(({ instrument }) => instrument.symbol));
  const fills = oldestFirst(
    traded.filter(
      ({ kind, instrument }) => kind === 'trade' || !isCounted.has(instrument.symbol),
    ),
  );

  const adjustments = cash.flatMap((section) => section.adjustments);
  const whole = settled([...fills, ...removed], {
    ...positionsIn(sections),
    adjustments,
    covers: coveredBy(text),
  });
  // A section's total is the file's only if no other section has fills.
  const isOne = cash.filter((section) => section.lines.length > 0).length === 1;

  return reading({
    rows: [...sections.values()].reduce(
      (sum, section) => sum + Math.max(0, section.length - 1),
      0,
    ),
    fills: whole.fills,
    flows: cash.flatMap(({ flows }) => flows),
    cash: endingCash(cash.slice(0, 2), account),
    skipped: others.skipped,
    notes: [...notes, ...whole.notes],
    stated: [...whole.stated, ...(isOne ? cash.flatMap(({ total }) => total) : [])],
  });
}

/**
 * The balances of cash and futures together; none if a section with lines states none.
 */
function endingCash(
  sections: readonly ReturnType<typeof cashOf>[],
  account: string | null,
): StatedCash[] {
  const stated = sections.filter(({ total }) => total.length > 0);
  if (stated.length === 0 || stated.some(({ balance }) => balance === null)) return [];

  const amount = roundMoney(
    stated.reduce((sum, { balance }) => sum + Number(balance), 0),
  );
  return [{ account, currency: 'USD', amount, at: null }];
}

/**
 * Removed options on futures with the fills' spelling of the underlying: with or without
 * the exchange.
 */
function named(removed: readonly FileFill[], traded: readonly FileFill[]): FileFill[] {
  const known = new Map(
    traded.map(({ instrument }) => [withoutExchange(instrument.symbol), instrument]),
  );
  return removed.map((fill) => {
    return {
      ...fill,
      instrument: known.get(withoutExchange(fill.instrument.symbol)) ?? fill.instrument,
    };
  });
}

/**
 * A line with only a name begins a section. An empty line ends it, unless a line as wide
 * as its header follows.
 */
function sectionsOf(rows: readonly CsvRow[]): Map<string, CsvRow[]> {
  const sections = new Map<string, CsvRow[]>();
  let section: CsvRow[] | undefined;
  let isApart = false;

  for (const row of rows) {
    const [name = '', ...others] = row.cells.map((cell) => cell.trim());
    if (isEmpty(row)) {
      isApart = true;
      continue;
    }

    if (name !== '' && others.every((cell) => cell === '')) {
      if (ONCE.includes(name) && sections.has(name)) {
        throw new RowError(
          null,
          `begins the section "${name}" again: these are two statements; import each by itself`,
          row.line,
        );
      }
      section = [];
      sections.set(name, section);
    } else if (isApart && section?.[0] && section[0].cells.length !== row.cells.length)
      section = undefined;
    else section?.push(row);

    isApart = false;
  }

  return sections;
}
