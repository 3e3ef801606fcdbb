/** What a mapping read, in words and sums, for the user to compare with the file. */
import type { Values } from '../../../journal-write/record.ts';
import { Sum } from '../../../money.ts';
import type { FileFill, FileRecord, WholeReading } from '../../fills/reading.ts';
import { plain } from '../../tables/declaration.ts';
import type { LoadedMapping } from '../load.ts';
import { columnsRead } from '../schema.ts';
import type { NamedRows } from '../table.ts';
import { isAmountName, isCostName } from './names.ts';

/** The first rows that are shown; the last one is, too. */
const FIRST = 3;

/** The first rows and the last, and what all rows have in common. */
export function rowsInWords({ fills, records, skipped }: WholeReading): string[] {
  const rows = [...fills, ...records].toSorted((a, b) => a.line - b.line);
  const shown =
    rows.length > FIRST + 1 ? [...rows.slice(0, FIRST), ...rows.slice(-1)] : rows;
  const lines = shown.map(
    (row) =>
      `line ${row.line}: ${'instrument' in row ? fillInWords(row) : recordInWords(row)}`,
  );
  if (rows.length > FIRST + 1) lines.splice(FIRST, 0, '...');
  const skips = [...skipped].map(([reason, count]) => `${count} ${reason}`);

  return [
    ...lines,
    ...common(rows),
    ...(skips.length > 0 ? [`not read: ${skips.join(', ')}`] : []),
  ];
}

function fillInWords({
  side,
  quantity,
  instrument,
  price,
  executedAt,
  effect,
  ...fill
}: FileFill): string {
  const verb = side === 'buy' ? 'Bought' : 'Sold';
  const cost = fill.feeQuantity || fill.otherFee?.amount || fill.fees;
  const unit = fill.otherFee?.currency ?? (fill.feeQuantity ? 'of its units' : '');

  return [
    `${verb} ${quantity} ${instrument.symbol} at ${digits(price)} on ${timeOf(executedAt)}`,
    ...(effect === null ? [] : [`which ${effect}s`]),
    ...(cost === 0 ? [] : [`fee ${digits(cost)} ${unit}`.trim()]),
  ].join(', ');
}

function recordInWords({ values }: FileRecord): string {
  const {
    side,
    symbol,
    quantity,
    entry_price,
    exit_price,
    executed_at,
    closed_at,
    gross_pnl,
    fees,
  } = values;
  if (typeof entry_price !== 'number') return factsOf(values);

  const what = side === 'short' ? 'Short' : 'Long';
  const from = `${what} ${quantity} ${symbol} from ${digits(entry_price)} on ${timeOf(executed_at)}`;
  if (typeof exit_price !== 'number' || typeof closed_at !== 'string')
    return `${from}, still open`;

  const gross =
    typeof gross_pnl === 'number' ? `, P&L ${digits(gross_pnl)} before fees` : '';
  const cost = typeof fees === 'number' && fees !== 0 ? `, fee ${digits(fees)}` : '';

  return `${from} to ${digits(exit_price)} on ${timeOf(closed_at)}${gross}${cost}`;
}

const MOST_FACTS = 6;

function factsOf(values: FileRecord['values']): string {
  const known = Object.entries(values).filter(
    ([name, value]) => value !== null && name !== 'id',
  );
  const texts = known.map(
    ([name, value]) =>
      `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return texts.slice(0, MOST_FACTS).join(', ').slice(0, 200);
}

const MOST_VALUES = 6;

/** Markets, currencies, contract sizes and zones of all rows. */
function common(rows: readonly (FileFill | FileRecord)[]): string[] {
  const facts = rows.map(
    (row): Values => ('instrument' in row ? { ...row.instrument } : row.values),
  );
  const distinct = (name: string) =>
    [...new Set(facts.map((values) => values[name]))].slice(0, MOST_VALUES);
  const markets = distinct('market').filter((market) => market !== undefined);
  if (markets.length === 0) return [];

  const currencies = distinct('currency').filter((currency) => currency !== undefined);
  const sizes = distinct('multiplier').filter(
    (size) => typeof size === 'number' && size !== 1,
  );
  const times = rows.map((row) =>
    'instrument' in row ? row.executedAt : row.values['executed_at'],
  );
  const zones = [...new Set(times.flatMap((time) => zoneOf(time) ?? []))];
  const parts = [
    markets.join(', '),
    currencies.length > 0 ? `in ${currencies.join(', ')}` : '',
    sizes.length > 0 ? `contract size ${sizes.join(', ')}` : '',
    zones.length > 0 ? `times of ${zones.join(', ')}` : '',
  ];

  return [`all rows: ${parts.filter((part) => part !== '').join('; ')}`];
}

const WRITTEN = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?[\d.]*(?:\[!?([^\]]*)\]|Z)$/;

function timeOf(time: unknown): string {
  const [, date, minute, seconds = '', zone] = WRITTEN.exec(String(time)) ?? [];
  if (date === undefined) return String(time);
  return zone === '' ? date : `${date} ${minute}${seconds === ':00' ? '' : seconds}`;
}

/** The zone of a time, and whether it is assumed. */
function zoneOf(time: unknown): string | undefined {
  const [whole, , , , zone] = WRITTEN.exec(String(time)) ?? [];
  if (whole === undefined || zone === '') return undefined;
  if (zone === undefined) return 'UTC';
  return whole.includes('[!')
    ? zone
    : `${zone} (your time zone; set "zone" if the file has another)`;
}

/** At least two decimals. */
function digits(value: number): string {
  const text = String(value);
  return /^-?\d+(\.\d)?$/.test(text) ? value.toFixed(2) : text;
}

/** Fields whose columns state what others already do. */
const CHECKS = ['amount', 'gross_pnl', 'net_pnl'];

/**
 * The sum of quantity times price, or of the P&L, beside the sums of the file's columns
 * of money that could be its check; and the columns that no field has.
 */
export function checksInWords(
  reading: WholeReading,
  table: NamedRows,
  { mapping }: LoadedMapping,
): string[] {
  const worth = new Map([
    ...reading.fills.flatMap(worthOfFill),
    ...reading.records.flatMap(worthOfTrade),
  ]);
  const rows = table.rows.filter(({ line }) => worth.has(line));
  const fields = Object.entries(mapping.fields).filter(
    ([field]) => !CHECKS.includes(field),
  );
  const used = new Set(columnsRead({ fields: Object.fromEntries(fields) }).map(plain));
  const money = table.names.filter(
    (name) => isAmountName(name) && !used.has(plain(name)),
  );
  const sums = money.flatMap((name) => {
    const amounts = rows.map((row) => amountIn(table.textOf(row, name), mapping.decimal));
    return amounts.some((amount) => amount !== 0) ? [`${name} ${sumOf(amounts)}`] : [];
  });
  const [first] = reading.records;
  const what =
    first && 'gross_pnl' in first.values ? 'P&L before fees' : 'quantity x price';
  const costs = table.unused.filter(isCostName);
  const lines: string[] = [];
  if (worth.size > 0 && sums.length > 0) {
    lines.push(
      `sum of ${what}: ${sumOf([...worth.values()])}; in the file: ${sums.join('; ')}`,
    );
  }

  if (table.unused.length > 0) lines.push(`columns not used: ${table.unused.join(', ')}`);
  if (costs.length > 0) lines.push(`not used, but named like costs: ${costs.join(', ')}`);

  return lines;
}

function worthOfFill({
  line,
  quantity,
  price,
  instrument,
}: FileFill): [number, number][] {
  return [[line, Math.abs(Number(quantity)) * price * (instrument.multiplier ?? 1)]];
}

function worthOfTrade({ line, values }: FileRecord): [number, number][] {
  const { gross_pnl } = values;
  return typeof gross_pnl === 'number' ? [[line, gross_pnl]] : [];
}

function sumOf(amounts: readonly number[]): string {
  const sum = new Sum();
  for (const amount of amounts) sum.add(amount);
  return sum.value.toFixed(2);
}

/** The number in a cell; 0 if there is none. */
function amountIn(text: string, decimal: string | undefined): number {
  const mark = decimal === ',' ? ',' : '.';
  const bare = text.replace(mark === ',' ? /[^\d,]/g : /[^\d.]/g, '').replace(',', '.');
  const value = Number(bare) || 0;
  return /^[^\d]*[-−(]/.test(text) ? -value : value;
}
