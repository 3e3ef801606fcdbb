/**
 * The report of an import, and its text: figures to compare with the platform, warnings,
 * and the next command.
 */
import { Temporal } from 'temporal-polyfill';
import type { Problem } from '../../errors.ts';
import { once } from '../../journal/once.ts';
import type { ReadBack } from '../../notes/note.ts';
import type { ComparedTotal, Reason } from './compared-totals.ts';
import type { EndingCash } from './ending-cash.ts';
import type { ComparedDays, DayReason, FillReport, LeftOut } from './fill-report.ts';
import { counted, type Notice } from './notices.ts';

export interface ImportReport {
  dry_run: boolean;
  journal: string;
  user: string;
  timezone: string;
  files: FileReport[];
  /** Files of a folder that hold nothing to import. */
  ignored: { file: string; reason: string }[];
  /** Files that weren't imported because of an error; the others were. */
  failed: { file: string; message: string }[];
  /** What looks like a mistake, each with the command that mends it. */
  notices: Notice[];
}

/** Results of reading day notes. */
export interface NotesReadBack {
  /** Those that are new or changed. */
  read_back: ReadBack[];
  /** Number of notes that state the same as before. */
  notes_unchanged: number;
}

/**
 * Notes of which a section stayed text for want of its trade, and which were read again
 * since it is there now.
 */
export interface NotesAgain {
  read_again: ReadBack[];
  /**
   * Paths of those to import again: their bytes aren't kept, or something in them is an
   * error.
   */
  to_import: string[];
}

export interface FileReport extends Partial<NotesReadBack & NotesAgain> {
  file: string;
  format: string;
  resource: string;
  /** Every row is used, or skipped for a reason: read is the sum of both. */
  rows: { read: number; used: number; skipped: Record<string, number> };
  /** Numbers of records, and of trades made from fills. */
  added: number;
  changed: number;
  unchanged: number;
  /** Numbers of cash flows of a platform's file. */
  cash_flows: { added: number; changed: number; unchanged: number };
  /** Ending cash that it states. */
  ending_cash: EndingCash[];
  /**
   * When the same file was imported before, UTC text; null if never, or if it has
   * anything new.
   */
  imported_before: string | null;
  /** Report of a platform's file; null for plain records. */
  platform: FillReport | null;
  /** Result of a file of rates; null for others. */
  rates: RateReport | null;
  problems: Problem[];
  /**
   * Of an edited note: values that changed while it was open, and that it therefore
   * doesn't change.
   */
  refused?: readonly string[];
  skipped: { reason: string; count: number }[];
  /** Notes to the user on how it was read: the zone, missing data. */
  notes: string[];
}

/** Result of filling rates. */
interface RateReport {
  /** Number of trades that got a rate. */
  filled: number;
  /** Closed trades still without one, by currency, with their first and last day. */
  missing: { currency: string; trades: number; first: string; last: string }[];
}

/** A platform's file, which has a report. */
type PlatformFile = FileReport & { platform: FillReport };

const SYMBOLS_SHOWN = 8;
const DIFFERENCES_SHOWN = 20;
const EXAMPLES_SHOWN = 3;

export function isPlatformFile(file: FileReport): file is PlatformFile {
  return file.platform !== null;
}

/** Reasons for skipped rows with their numbers; those of many sections in one. */
function skippedIn(skipped: PlatformFile['skipped']): string[] {
  const isOfSection = ({ reason }: PlatformFile['skipped'][number]) =>
    reason.startsWith('row of section ');
  const ofSections = skipped.filter(isOfSection);
  const isMany = ofSections.length > MOST_SECTIONS;
  const rows = ofSections.reduce((sum, { count }) => sum + count, 0);

  const named = isMany ? skipped.filter((row) => !isOfSection(row)) : skipped;
  const lines = named.map(({ count, reason }) => `${count} ${reason}`);
  return isMany
    ? [...lines, `${rows} rows of ${ofSections.length} other sections`]
    : lines;
}

/** Maximum number of skipped sections that are named. */
const MOST_SECTIONS = 2;

/**
 * The contents of a platform's file and the resulting trades.
 * @param timeZone the user's
 */
export function figuresOf(
  { file, format, rows, cash_flows, ending_cash, skipped, platform }: PlatformFile,
  timeZone: string,
): string[] {
  const { trades, first, last } = platform;
  const lines: [string, string][] = [];
  if (platform.unsure.length > 0) {
    const symbols = platform.unsure.map(
      ({ symbol, trades: count }) => `${symbol} (${counted(count, 'trade')})`,
    );
    lines.push([
      'unsure',
      `${shortened(symbols, SYMBOLS_SHOWN)}: units came or went for no stated reason, or an option was sold without an open or close mark; tagged "unsure"`,
    ]);
  }

  lines.push(['rows', `${rows.read} read`]);
  if (platform.fills > 0)
    lines.push(['fills', `${platform.fills}, ${platform.new_fills} of them new`]);
  lines.push(['trades', `${trades.closed} closed, ${trades.open} open`]);
  if (platform.groups.added.length > 0)
    lines.push(['groups', groupsIn(platform.groups.added)]);
  for (const text of [...flowsInWords(cash_flows), ...ending_cash.map(cashInWords)])
    lines.push(['cash', text]);
  for (const text of skippedIn(skipped)) lines.push(['skipped', text]);

  if (first !== null && last !== null) {
    lines.push([
      'period',
      `${minuteOf(first, timeZone)} to ${minuteOf(last, timeZone)} (${timeZone})`,
    ]);
  }

  for (const { currency, gross, fees, net } of platform.money) {
    const soFar = trades.open > 0 ? ', including open trades' : '';
    lines.push([
      'P&L',
      `gross ${money(gross)}, fees ${money(fees)}, net ${money(net)} ${currency}${soFar}`,
    ]);
  }

  for (const { currency, amount } of platform.own_fees) {
    lines.push([
      'own fees',
      `${money(amount)} ${currency} of these fees, set by you; the file states none: journal-api fees list`,
    ]);
  }

  for (const line of platform.stated.flatMap(comparedLines)) lines.push(line);
  for (const text of differingDays(platform.days)) lines.push(['day', text]);
  for (const text of bySymbol(platform)) lines.push(['symbol', text]);
  const open = platform.by_symbol.filter(({ open_quantity }) => open_quantity !== 0);

  if (open.length > 0) {
    lines.push([
      'open',
      shortened(
        open.map(({ symbol, open_quantity }) => `${symbol} ${open_quantity}`),
        SYMBOLS_SHOWN,
      ),
    ]);
  }

  const width = Math.max(...lines.map(([label]) => label.length));
  return [
    `${file} (${format})`,
    ...lines.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`),
  ];
}

function flowsInWords({ added, changed, unchanged }: FileReport['cash_flows']): string[] {
  const flows = added + changed + unchanged;
  return flows === 0 ? [] : [`${counted(flows, 'cash flow')}, ${added} of them new`];
}

function cashInWords({
  account,
  currency,
  stated,
  here,
  difference,
  implies_start,
  daily_settlement,
}: EndingCash): string {
  const name = account === null ? '' : `${account}: `;
  const amounts = `${name}${money(stated)} ${currency} at the end in the file`;
  if (here === null || difference === null)
    return `${amounts}; the start of the account is unknown: journal-api account set ${account ?? 'main'} --starting-balance 25000`;

  const notes = [
    implies_start ? 'the start of the account follows from it' : [],
    daily_settlement ? 'the file has the daily settlement of open futures' : [],
  ].flat();
  const why = notes.length === 0 ? '' : ` (${notes.join('; ')})`;
  return `${amounts}, ${money(here)} here: ${money(difference)}${why}`;
}

/** 2 vertical, 1 iron condor, of 8 trades */
function groupsIn(added: FillReport['groups']['added']): string {
  const byStrategy = [...Map.groupBy(added, ({ strategy }) => strategy)];
  const counts = byStrategy
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([name, groups]) => `${groups.length} ${name}`);
  return `${counts.join(', ')}, of ${added.reduce((sum, { legs }) => sum + legs, 0)} trades`;
}

const WHY: Readonly<Record<Exclude<Reason, null>, string>> = {
  rounding: 'rounding',
  open_costs:
    'the file includes costs of the open position, as for an order that closes and opens',
  average_price:
    'partial closes: the file uses the average price; the journal uses first in, first out',
  unmatched: 'unmatched closes excluded',
  option_premium:
    'the file adds the premium of assigned and exercised options to the shares; the journal leaves it with the option',
  other_files: 'other files hold a part of these trades, which count as a whole here',
};

const WHY_OF_DAY: Readonly<Record<DayReason, string>> = {
  option_premium: WHY.option_premium,
  other_units:
    'partial closes: the file closes at the average price, or other units than those opened first',
  opening: 'the row opens a position here',
  other_sum: 'the rows of the trade add up to another amount than its prices',
};

/** Days of exits that differ from what the rows state. */
function differingDays({ differing }: ComparedDays): string[] {
  const shown = differing.slice(0, DIFFERENCES_SHOWN).map((day) => {
    const { date, currency, amount, ours, difference, reason } = day;
    const amounts = `${money(amount)} ${currency} realised in the file, ${money(ours)} here`;
    return `${date}: ${amounts}: ${money(difference)} (${WHY_OF_DAY[reason]})`;
  });
  const more = differing.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

/** The totals of a file that differ, each with its symbols. */
export function differingTotals({ file, platform }: FileReport): string[] {
  const differing = platform?.stated.filter(({ difference }) => difference !== 0) ?? [];
  return differing.flatMap(comparedLines).map(([, text]) => `${file}: ${text}`);
}

/** A total, followed by the symbols that differ. */
function comparedLines(total: ComparedTotal): [string, string][] {
  const {
    what,
    currency,
    symbol,
    stated_as,
    amount,
    ours,
    difference,
    reason,
    why,
    open_costs,
    by_symbol,
  } = total;
  // Equal positions are many and need no line.
  if (what === 'position' && difference === 0) return [];

  const show = what === 'position' ? String : money;
  const unit = what === 'position' ? '' : ` ${currency}`;
  const whose = symbol === null ? '' : ` of ${symbol}`;
  const open =
    open_costs === 0 ? '' : `, costs of open positions (${money(open_costs)}) excluded`;
  const shown = by_symbol
    .slice(0, DIFFERENCES_SHOWN)
    .map((compared): [string, string] => {
      const inFile = `${money(compared.amount)} ${currency} in the file`;
      const amounts = `${inFile}, ${money(compared.ours)} here`;
      const why = inBrackets(compared.reason);
      return [
        'differs',
        `${compared.symbol}: ${amounts}: ${money(compared.difference)}${why}`,
      ];
    });

  const more = by_symbol.length - shown.length;
  const reasons = inBrackets(shown.length > 0 ? null : reason, why);
  const states =
    stated_as === 'total' ? 'the file states' : 'the rows of the file add up to';
  const totals = `${states} ${what}${whose} ${show(amount)}${unit}, here ${show(ours)}${open}`;

  return [
    ['compared', `${totals}: difference ${show(difference)}${reasons}`],
    ...shown,
    ...(more > 0 ? [['differs', `and ${more} more`] as [string, string]] : []),
  ];
}

function inBrackets(reason: Reason, why?: string): string {
  const known = [why, reason === null ? undefined : WHY[reason]].filter(
    (text) => text !== undefined,
  );
  return known.length > 0 ? ` (${known.join('; ')})` : '';
}

/** Symbols by net P&L, the largest gain or loss first. */
function bySymbol({ by_symbol }: FillReport): string[] {
  const closed = by_symbol
    .filter(
      ({ trades, net, open_quantity }) => net !== 0 || open_quantity === 0 || trades > 1,
    )
    .sort((a, b) => Math.abs(b.net) - Math.abs(a.net));
  const shown = closed
    .slice(0, SYMBOLS_SHOWN)
    .map(({ symbol, net, currency, trades }) => {
      return `${symbol} ${money(net)} ${currency} net in ${counted(trades, 'trade')}`;
    });
  return closed.length > SYMBOLS_SHOWN
    ? [...shown, `and ${closed.length - SYMBOLS_SHOWN} more`]
    : shown;
}

/**
 * Warnings: what to check or import.
 * @param user id of the owner of the records
 */
export function warningsOf(
  { file, imported_before, platform }: PlatformFile,
  user: string,
): string[] {
  const { unmatched, waiting_costs, dust, other_fees, without_rate, moved, kept } =
    platform;
  const other = otherBaseCurrency([platform]);
  const lines: string[] = [];
  if (imported_before !== null)
    lines.push(`already imported at ${imported_before}; nothing new`);

  if (without_rate.length > 0) {
    const currencies = without_rate.join(', ');
    const command = `journal-api user set ${user} --base-currency ${other}`;
    const remedy = other === null ? '' : `; if ${other} is your currency: ${command}`;
    lines.push(
      `trades in ${currencies} have no exchange rate (fx_rate) to your base currency ` +
        `and are excluded from figures${remedy}`,
    );
  }

  if (unmatched.length > 0) {
    lines.push(
      `${counted(unmatched.length, 'unmatched fill')} (closes, cancellations) excluded from trades; ` +
        `import the missing fills, or record them with journal-api fill: ${namesOf(unmatched)}`,
    );
  }

  for (const { currency, costs, amount } of waiting_costs) {
    lines.push(
      `${counted(costs, 'cost')} of ${money(amount)} ${currency} without a fill excluded from figures; import the missing fills`,
    );
  }

  if (dust.length > 0) {
    lines.push(
      `${counted(dust.length, 'remainder')} excluded, too small to keep a trade open: ${namesOf(dust)}`,
    );
  }

  for (const { currency, amount } of other_fees) {
    lines.push(
      `fees of ${money(amount)} ${currency} have no exchange rate in this file and are excluded from figures`,
    );
  }

  for (const id of platform.groups.kept)
    lines.push(`group ${id} has no trades left; kept for its journal entries and notes`);
  for (const { symbol, import: id } of platform.replaced)
    lines.push(
      `${symbol}: this file states what happened; it replaces the expiration that import ${id} booked`,
    );

  for (const { date, currency, before, after } of platform.changed_days)
    lines.push(
      `exits of ${date} realised ${money(before)} ${currency} before, and ${money(after)} now`,
    );
  for (const { from, to } of moved)
    lines.push(`labels and journal entries moved from ${from} to ${to}`);
  if (kept.length > 0) {
    lines.push(
      `${counted(kept.length, 'trade')} changed by hand ${were(kept)} left as they are: ${shortened(kept, EXAMPLES_SHOWN)}`,
    );
  }

  return lines.map((line) => `${file}: ${line}`);
}

export function rateLines({ file, rates }: FileReport): string[] {
  if (!rates) return [];
  const { filled, missing } = rates;
  const left = missing.map(({ currency, trades, first, last }) => {
    const days = first === last ? first : `${first} to ${last}`;
    return `${file}: ${counted(trades, 'closed trade')} in ${currency} still without an exchange rate (${days}); import rates of those days, or of up to 7 days before`;
  });
  return [`${file}: exchange rates filled in for ${counted(filled, 'trade')}`, ...left];
}

/** Symbols of all files with neither stated nor own fees. */
export function withoutFees({ files }: ImportReport): string[] {
  return [
    ...new Set(files.flatMap(({ platform }) => platform?.without_fees ?? [])),
  ].sort();
}

export interface Outlook {
  /** First and last day of the report's trades, in the user's zone. */
  start: string;
  end: string;
  /** The base currency needed for figures to include any of them; null if they do. */
  baseCurrency: string | null;
}

/** @returns null without closed trades */
export function outlookOf({ files, timezone }: ImportReport): Outlook | null {
  const platforms = files.flatMap(({ platform }) =>
    platform && platform.trades.closed > 0 ? [platform] : [],
  );
  const times = platforms
    .flatMap(({ first, last }) => (first !== null && last !== null ? [first, last] : []))
    .sort();
  const [start, end] = [times[0], times.at(-1)];
  if (start === undefined || end === undefined) return null;

  return {
    start: minuteOf(start, timezone).slice(0, 10),
    end: minuteOf(end, timezone).slice(0, 10),
    baseCurrency: otherBaseCurrency(platforms),
  };
}

/**
 * The single currency of all trades if, for lack of exchange rates, they are excluded
 * from figures.
 * @returns null if there are several currencies, or figures include some trades
 */
function otherBaseCurrency(platforms: readonly FillReport[]): string | null {
  const currencies = new Set(
    platforms.flatMap((platform) => platform.money.map(({ currency }) => currency)),
  );
  const [only = null] = currencies;
  return currencies.size === 1 &&
    platforms.every(({ without_rate }) => without_rate.length > 0)
    ? only
    : null;
}

function namesOf(leftOut: readonly LeftOut[]): string {
  const names = leftOut.map(({ symbol, side, quantity, executed_at }) =>
    [symbol, side, quantity, executed_at.slice(0, 10)]
      .filter((part) => part !== null)
      .join(' '),
  );
  return shortened(names, EXAMPLES_SHOWN);
}

function shortened(names: readonly string[], most: number): string {
  const more = names.length - most;
  return [...names.slice(0, most), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

function were({ length }: readonly unknown[]): string {
  return length === 1 ? 'was' : 'were';
}

/** 2026-11-02 09:30 in a zone. */
function minuteOf(instant: string, timeZone: string): string {
  const local = Temporal.Instant.from(instant)
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime();
  return local.toString({ smallestUnit: 'minute' }).replace('T', ' ');
}

/** Made only if the report shows an amount: the first of a process takes 20 ms. */
const amounts = once(
  () =>
    new Intl.NumberFormat('en-US', {
      minimumFractionDigits: 2,
      maximumFractionDigits: 8,
      useGrouping: false,
      signDisplay: 'negative',
    }),
);

function money(amount: number): string {
  return amounts().format(amount);
}
