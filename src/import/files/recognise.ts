/** The format of a file and what it holds, by its beginning and its name. */
import { nearest, RowError, UsageError, UserError } from '../../errors.ts';
import type { ListResource } from '../../journal/resource.ts';
import { RESOURCES } from '../../journal/resources/index.ts';
import { NAMES_OF_TRADE, tradeJournals } from '../../journal/resources/journals.ts';
import { trades } from '../../journal/resources/trades.ts';
import { isZip } from '../../parse/open-file.ts';
import { fills } from '../../statements/fill-row.ts';
import { FORMATS, markdown } from '../formats/index.ts';
import {
  type Format,
  hasMarks,
  lackingMarks,
  MAPPED_REVISION,
  revisionOf,
} from '../tables/format.ts';
import { bytesOf, type Job } from './contents.ts';
import { isTextExport, startsOfSheets } from './read.ts';

/** All formats, files and notes, in the order of detection. */
export const KNOWN_FORMATS: readonly Format[] = [...FORMATS, markdown];

export interface Wanted {
  resource: ListResource | undefined;
  format: Format | undefined;
  /** Whether files that became links are rejected. */
  noLinks: boolean;
  folder: string | undefined;
  /** Of notes without one. */
  date: string | undefined;
  /** The mapping's format of notes, if given; `format` is then its format of tables. */
  mappedNotes: Format | undefined;
  changed: ((of: Pick<Job, 'file' | 'noLinks' | 'notes'>) => Job | undefined) | undefined;
}

const IMPORTED = RESOURCES.filter(({ isComputed }) => !isComputed);

export const RESOURCE_PATHS = IMPORTED.map((resource) => resource.path);

export function resourceNamed(name: string): ListResource {
  const path = name.toLowerCase().replaceAll('_', '-');
  const found = IMPORTED.find((resource) => resource.path === path);
  if (found) return found;
  throw new UsageError(
    `unknown resource "${name}"${meantBy(path, RESOURCE_PATHS)}; pass one of ${RESOURCE_PATHS.join(', ')}`,
  );
}

export function formatNamed(name: string): Format {
  const found = KNOWN_FORMATS.find((format) => format.name === name);
  if (found) return found;
  const names = KNOWN_FORMATS.map((format) => format.name);
  throw new UsageError(
    `unknown format "${name}"${meantBy(name, names)}; "journal-api import --formats" lists all`,
  );
}

function meantBy(name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  return meant ? ` (did you mean ${meant}?)` : '';
}

/**
 * The revision of this version's reader, by the format of an import; undefined if it has
 * none.
 */
export function presentRevision(format: string): number | undefined {
  if (format.startsWith('map:')) return MAPPED_REVISION;
  const found = KNOWN_FORMATS.find(({ name }) => name === format);
  return found && revisionOf(found);
}

/**
 * The error of a file with unknown format or contents; within a folder, the file is
 * skipped.
 */
export class Unrecognised extends UserError {
  readonly short: string;

  constructor(message: string, short: string) {
    super(message);
    this.short = short;
  }
}

/** The beginning of a file to recognise. */
export interface FileStart extends Pick<Job, 'file' | 'noLinks' | 'bytes' | 'pieces'> {
  /** Without folders; empty without a name. */
  name: string;
  start: string;
}

/** @throws Unrecognised if its format or contents are unknown */
export function recognised(of: FileStart, wanted: Wanted, inFolder: boolean): Job {
  const { name, start, ...place } = of;
  if (inFolder) refuseOther(of, wanted.format);

  const format = wanted.format ?? formatOf(of, inFolder);
  if (!format && wanted.resource) {
    throw new Unrecognised(
      `${of.file}: unknown format; pass --format ("journal-api import --formats" lists all)`,
      'unknown format',
    );
  }
  if (!format) throw unknownPlatform(of);

  return { ...place, format, resource: resourceOf(of, format, wanted) };
}

/** A folder may hold other files than those wanted. */
function refuseOther({ file, name, start }: FileStart, format: Format | undefined): void {
  const stop = (short: string) => new Unrecognised(`${file} is ${short}`, short);
  // Exports with a file per resource may have empty ones. A file given by name is
  // rejected by its format.
  if (start.trim() === '') throw stop('empty');
  if (format?.holds !== undefined && !format.looksLike(start, name))
    throw stop(`not a ${format.name} file`);
}

/**
 * The resource whose records a file holds: its format's, else the wanted one, else by its
 * name.
 */
function resourceOf(of: FileStart, format: Format, wanted: Wanted): ListResource {
  const { file, name, start } = of;
  const resource =
    format.holds === undefined
      ? (wanted.resource ?? resourceOfFile(name, start))
      : resourceNamed(format.holds);
  if (!resource) throw wanted.format ? unknownContents(of) : unknownPlatform(of);

  const isNamedOnly = format.name === 'csv' && !wanted.format && !wanted.resource;
  if (isNamedOnly && !hasFieldsOf(resource, start)) throw unknownPlatform(of);
  if (wanted.resource && wanted.resource !== resource) {
    throw new UsageError(
      `${file} is a ${format.name} file, which holds ${resource.path}; omit --as ${wanted.resource.path}`,
    );
  }

  return resource;
}

/**
 * Whether a table named after a resource has its records: at least half of the columns
 * are fields.
 */
function hasFieldsOf(resource: ListResource, start: string): boolean {
  // A header longer than the beginning is judged once it is read.
  const text = start.trimStart();
  const end = text.search(/[\r\n]/);
  if (end === -1) return true;

  const header = text.slice(0, end);
  const names = header.split(/[,;\t]/).map((name) => name.trim().replaceAll('"', ''));
  const fields = new Set([
    ...Object.keys(resource.record.shape),
    ...(FURTHER_COLUMNS[resource.path] ?? []),
  ]);
  // A column such as review.rating is part of a field.
  const isField = (name: string) => {
    const [field = ''] = name.split('.', 1);
    return name === '' || fields.has(field);
  };

  return names.filter(isField).length * 2 >= names.length;
}

/** Columns of a table of records that aren't fields of its resource. */
const FURTHER_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  [trades.path]: ['executions'],
  [tradeJournals.path]: NAMES_OF_TRADE,
};

/**
 * The format of a file. A workbook may hold any platform's export in a sheet, else it is
 * MetaTrader's.
 */
function formatOf(of: FileStart, inFolder: boolean): Format | undefined {
  const found = KNOWN_FORMATS.find((candidate) =>
    isCandidate(candidate, of.start, of.name),
  );
  if (found?.name !== 'metatrader' || !isZip(of.start)) return found;

  try {
    return formatOfWorkbook(of, inFolder, found) ?? found;
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    if (inFolder) throw new Unrecognised(`${of.file}: ${error.message}`, error.message);
    // A damaged workbook is reported when it is read.
    return found;
  }
}

/**
 * @throws Unrecognised if no sheet is an export with trades; RowError if the workbook is
 * damaged
 */
function formatOfWorkbook(
  of: FileStart,
  inFolder: boolean,
  metatrader: Format,
): Format | undefined {
  const { file, name } = of;
  const bytes = bytesOf(of);
  const sheets = startsOfSheets(bytes);
  const filled = sheets.filter((sheet) => sheet.trim() !== '');
  const starts = filled.length > 0 ? filled : sheets;

  const format = KNOWN_FORMATS.find(
    (known) =>
      isTextExport(known) && starts.some((sheet) => known.looksLike(sheet, name)),
  );
  if (format) return format;

  const other = starts.map(otherExport).find((is) => is !== undefined);
  if (other !== undefined) throw new Unrecognised(`${file} ${other}`, 'without trades');
  if (inFolder && metatrader.binary && !metatrader.hasRows?.(bytes)) {
    throw new Unrecognised(
      `${file} has no sheet of a known export`,
      'a workbook without a known export',
    );
  }

  return undefined;
}

/**
 * Binary files, such as archives, may contain a platform's header too: only the text
 * before the first NUL is examined. If an export has a NUL further down, its reader names
 * the line.
 */
function isCandidate(format: Format, start: string, name: string): boolean {
  const isText = format.holds !== undefined && format.binary !== true;
  const [beforeNul = ''] = start.split('\0', 1);
  return format.looksLike(isText ? beforeNul : start, name);
}

const HEADER_SHOWN = 200;

function unknownPlatform({ file, name, start }: FileStart): Unrecognised {
  const lists =
    '"journal-api import --formats" lists the known platforms and what to export.';
  const other = otherExport(start);
  if (other !== undefined)
    return new Unrecognised(`${file} ${other}\n${lists}`, 'without trades');

  const mapping = `\nAny other CSV or xlsx table can be imported with a mapping: "journal-api import ${file} --map new" drafts one.`;
  return new Unrecognised(
    `${file} is not an export of a known platform${headerOf(start)}${nearestOf(start)}
${lists}
If it holds your own records, ${howToName(name)}.${name === '' ? '' : mapping}`,
    'not an export of a known platform, and not named after a resource',
  );
}

function unknownContents({ file, name }: FileStart): Unrecognised {
  return new Unrecognised(
    `${file}: unknown contents; ${howToName(name)}`,
    'not named after a resource',
  );
}

function howToName(name: string): string {
  const rename = name === '' ? '' : 'name it after a resource, or ';
  return `${rename}pass --as (${RESOURCE_PATHS.join(', ')})`;
}

/** The first line of a file; a workbook or a database has none to show. */
function headerOf(start: string): string {
  const header = (/\S.*/.exec(start)?.[0] ?? '').trim().slice(0, HEADER_SHOWN);
  const isText = header !== '' && !/[\p{Cc}\ufffd]/u.test(header.replaceAll('\t', ''));
  return isText ? `; it begins with: ${header}` : '';
}

/** Names of columns that many platforms have. */
const COMMON = new Set([
  'date',
  'time',
  'symbol',
  'side',
  'type',
  'action',
  'quantity',
  'qty',
  'price',
  'amount',
  'fee',
  'fees',
  'currency',
  'account',
  'status',
  'description',
  'total',
  'instrument',
  'commission',
  'cusip',
  'isin',
]);

/**
 * The format closest to a header, and its missing columns, if a column that it has is of
 * this platform alone.
 */
function nearestOf(start: string): string {
  const namesOf = ({ marks = [] }: Pick<Format, 'marks'>) =>
    marks.flat().map((name) => name.toLowerCase());
  const counts = Map.groupBy(
    KNOWN_FORMATS.flatMap((format) => [...new Set(namesOf(format))]),
    (name) => name,
  );
  const isUnique = (name: string) => !COMMON.has(name) && counts.get(name)?.length === 1;
  const near = KNOWN_FORMATS.flatMap((format) => {
    const lacking = lackingMarks(start, format.marks ?? []);
    const has = namesOf(format).filter((name) => hasMarks(start, [name]));
    return lacking && has.some(isUnique) ? [{ name: format.name, lacking }] : [];
  });
  const [best] = near.sort((a, b) => a.lacking.length - b.lacking.length);

  return best
    ? `\nThe header is closest to ${best.name}, but lacks ${best.lacking.join(', ')}.`
    : '';
}

/**
 * The resource of a name such as trades.jsonl, trade-journals.csv, Trade_Groups.json;
 * fills.jsonl only if exported by this program.
 */
function resourceOfFile(name: string, start: string): ListResource | undefined {
  const stem = name
    .toLowerCase()
    .replace(/\.[^.]*$/, '')
    .replaceAll('_', '-');
  if (stem === fills.path)
    return start.includes('execution_id') && start.includes('stated') ? fills : undefined;
  return IMPORTED.find((resource) => resource.path === stem);
}

// Files often mistaken for an export with trades, and platforms' exports without any: what
// each is, and what to export instead.

interface Other {
  begins?: RegExp;
  /** Columns of its header: A|B, C. */
  columns?: string;
  is: string;
}

const OTHERS: readonly Other[] = [
  {
    begins: /^%PDF/,
    is: "is a PDF, which can't be imported; export CSV from the platform",
  },
  {
    begins: /^(?:ÐÏ|\ufffd\ufffd)\p{Cc}/u,
    is: 'is an older workbook (.xls); open it and save it as .xlsx',
  },
  { begins: /^(PK|\p{Cc})/u, is: 'is an archive; unpack it and import its files' },
  {
    begins: /^\s*<[^>]{0,400}urn:schemas-microsoft-com:office:excel/i,
    is: 'is a workbook saved as a web page; open it in Excel and save it as .xlsx',
  },
  {
    begins:
      /^\s*<(?:!doctype html|html)[\s\S]*(?:Activity Statement|tblAccountInformation)/i,
    is: "is Interactive Brokers' activity statement as a web page; download it as CSV: Performance & Reports > Statements > Activity > CSV",
  },
  {
    begins: /^<(!doctype html|html)/i,
    is: 'is a web page (perhaps a login page), not an export of a known platform',
  },
  {
    begins: /^OFXHEADER[\s\S]*<(?:BANKMSGSRSV1|CREDITCARDMSGSRSV1)>/,
    is: 'is a statement of a bank account, which has no trades; download that of the investment account',
  },
  {
    begins:
      /^(?:[^,;\r\n]{0,40}[,;]){4}[^,;\r\n]{0,20}ISIN[^,;\r\n]{0,20}[,;](?:[^,;\r\n]{0,40}[,;]){3}[,;][^,;\r\n]{0,40}[,;]{2}[^,;\r\n]{0,40}[\r\n]/,
    is: "is DEGIRO's account statement, which has no trades; export Inbox > Transactions",
  },
  { begins: /^$/, is: 'is empty' },
  {
    columns: 'Order, Date, Coin, Futures|Type, Amount|sum, Fee',
    is: "is Bitget's list of transactions, which has no fills; export the order history instead: Orders > Futures or Spot > Order history",
  },
  {
    columns: 'Scrip Name, Buy Qty.|Buy Qty, Buy Value, Sell Qty.|Sell Qty, Sell Value',
    is: "is Dhan's report of totals, which has no fills; export Reports > Trade history instead",
  },
  {
    begins: /^[^\r\n]{0,100}UPSTOX/i,
    is: 'is a report of Upstox without trades, such as holdings or a P&L; export Reports > Trades',
  },
  {
    begins: /^"?Report Title"?,"?(?!Tradebook)/i,
    is: 'is a report of FYERS without trades, such as holdings or a P&L; export Reports > Tradebook',
  },
  {
    begins: /^[^\r\n]{0,100}[\r\n]+"?Unique Client Code"?,/i,
    is: 'is a report of Groww without closed trades, such as holdings; export Reports > Stocks P&L',
  },
  {
    columns: 'Instrument, Qty., Avg. cost, LTP',
    is: "is Zerodha's list of holdings, which has no trades; export Console > Reports > Tradebook",
  },
  {
    columns: 'Symbol, ISIN, Quantity Available, Average Price',
    is: "is Zerodha's list of holdings, which has no trades; export Console > Reports > Tradebook",
  },
  {
    columns:
      'Stock Name, ISIN, Quantity, Average buy price|Avg buy price, Closing price|Closing value',
    is: "is Groww's list of holdings, which has no trades; export Reports > Stocks P&L",
  },
  {
    columns: 'Symbol, ISIN, Quantity, Buy Value, Sell Value, Realized P&L',
    is: "is Zerodha's P&L, which has totals without days; export Console > Reports > Tradebook",
  },
  {
    columns:
      'Pairs, Direction, Average Filled Price, Filled Quantity, Order Amount, Status',
    is: "is MEXC's order history, which has no fees; export Orders > Spot orders > Trade history",
  },
  {
    columns: 'orderCreatedAt, symbol, dealSize, dealFunds, averagePrice',
    is: "is KuCoin's order history as it was in 2021; export the orders or the trade history again",
  },
  {
    columns:
      'Position Create Time, Instrument Name, Average Open Price, Average Close Price',
    is: "is OKX's position history, which has no fills; export Assets > Order center > Trading history",
  },
  {
    columns: 'Account Number, Symbol, Last Price, Current Value, Cost Basis Total',
    is: "is Fidelity's list of positions, which has no trades; download Activity & Orders > History",
  },
  {
    columns: 'Symbol, Description, Mkt Val (Market Value)|Market Value, Cost Basis',
    is: "is Schwab's list of positions, which has no trades; export Accounts > History",
  },
  {
    columns:
      'Quantity|Qty|Qty.|Net Qty|Units|Shares, Average price|Avg price|Avg. price|Avg. cost|Average cost|Buy average|Cost basis|Average buy price|Rate, LTP|Last price|Current price|Closing price|Market price|Current value|Market value|Present value|Current Value (INR)',
    is: 'is a list of holdings, which has no trades; export the trades, orders or transactions of that platform instead',
  },
];

/**
 * What a file without trades is and what to export instead; undefined for other files.
 */
function otherExport(start: string): string | undefined {
  const text = start.trim() === '' ? '' : start;
  const has = (columns: string) =>
    hasMarks(
      text,
      columns.split(', ').map((name) => name.split('|')),
    );
  return OTHERS.find(({ begins, columns = '' }) =>
    begins ? begins.test(text) : has(columns),
  )?.is;
}
