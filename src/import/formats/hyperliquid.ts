/** Hyperliquid's fills: perpetuals and spot of one account, with the position before each where the export has it. */
import { RowError } from '../../journal-write/row-error.ts';
import { toInstantText } from '../../time.ts';
import { type FileFill, fill, oldestFirst, reading } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { type CsvTable, readFilledCsv } from '../parse/csv-rows.ts';
import { coins } from '../parse/instruments.ts';
import { dateOrderOf, orderNote } from '../parse/local-style.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, type DateOrder, instantIn } from '../parse/times.ts';
import { sideIn, wordIn } from '../parse/words.ts';
import type { Format } from './format.ts';
import { asRecord, itemLines, jsonIn } from './json.ts';

const REQUIRED = {
  coin: 'Coin',
  price: ['Execution Price', 'px'],
  size: ['Size Tokens', 'sz'],
  direction: ['Direction', 'dir'],
  fee: 'Fee',
};
const OPTIONAL = {
  account: 'Account',
  side: 'Side',
  start: ['Start Position', 'startPosition'],
  pnl: ['Closed PnL', 'closedPnl'],
  id: ['Trade ID', 'tid'],
  feeToken: 'feeToken',
};

/** What fills do, and which side that is. */
const DIRECTIONS = {
  'Open Long': { side: 'buy', effect: 'open' },
  'Close Long': { side: 'sell', effect: 'close' },
  'Open Short': { side: 'sell', effect: 'open' },
  'Close Short': { side: 'buy', effect: 'close' },
  'Long > Short': { side: 'sell', effect: null },
  'Short > Long': { side: 'buy', effect: null },
  Buy: { side: 'buy', effect: null },
  Sell: { side: 'sell', effect: null },
  'Spot Dust Conversion': { side: 'sell', effect: null },
  'Liquidated Isolated Long': { side: 'sell', effect: 'close' },
  'Liquidated Isolated Short': { side: 'buy', effect: 'close' },
  'Liquidated Cross Long': { side: 'sell', effect: 'close' },
  'Liquidated Cross Short': { side: 'buy', effect: 'close' },
  'Auto-Deleveraging': { side: null, effect: 'close' },
  Settlement: { side: null, effect: 'close' },
} as const;

/** Zones that headers name. */
const ZONES: Readonly<Record<string, string>> = { IST: 'Asia/Kolkata', UTC: 'UTC', GMT: 'UTC' };

export const hyperliquid: Format = {
  name: 'hyperliquid',
  description:
    "Hyperliquid: Trade History as CSV, of the site or of what reads its API; or the API's userFills as JSON",
  evidence: 'real files',
  holds: 'trades',
  hasUniqueIds: true,
  looksLike(start) {
    if (/^[[{]/.test(start)) return API.every((name) => start.includes(`"${name}"`));
    const names = (start.split(/\r?\n/, 1)[0] ?? '').split(/[,;\t]/).map((name) => name.replaceAll('"', '').trim());
    const has = (...some: string[]) => some.every((name) => names.includes(name));
    const isOfSite = has('Coin', 'Direction', 'Fee') && (has('Size Tokens') || has('Start Position'));
    return isOfSite || has('time', 'coin', 'dir', 'px', 'sz');
  },
  read(text, context) {
    const { header, rows } = /^\s*[[{]/.test(text) ? tableInJson(text) : readFilledCsv(text);
    const time = header.cells.find((name) => /^(Timestamp [A-Z]+|time)$/.test(name)) ?? 'Timestamp IST';
    const cellsOf = columnsOf(header, { ...REQUIRED, time }, OPTIONAL);
    const cells = rows.map(cellsOf).map((own) => ({ ...own, time: readable(own.time) }));
    const isUtc = cells.every(({ time: own }) => own.text.endsWith('Z'));
    const stated = isUtc ? 'UTC' : ZONES[/^Timestamp ([A-Z]+)$/.exec(time)?.[1] ?? ''];
    const { zone, note } = assumedZone(context);
    // A spreadsheet leaves 8.95E+14 of an id, which is none.
    const hasIds = cells.every(({ id }) => /^\d+$/.test(id?.text ?? ''));
    const order = dateOrderOf(
      cells.map(({ time: own }) => own.text),
      // The site writes 9/8/2026 for the United States, and 08/09/2026 elsewhere.
      cells.some(({ time: own }) => /^0/.test(own.text)) ? 'dmy' : 'mdy',
    );
    const notes = stated === undefined ? [note] : [];
    if (order !== 'ymd' && stated === undefined) notes.push(orderNote(order));
    const isNet = cells.some(isPnlNet);
    if (!hasIds)
      notes.push(
        'the ids of fills are missing or were rounded by a spreadsheet: equal fills are told apart by their order',
      );
    const fills = cells.map((row) => ({
      ...fillOf(row, { order, zone: stated ?? zone, isNet }),
      ...(hasIds ? {} : { executionId: null }),
    }));
    const ordered = oldestFirst(fills);
    const starts = new Map(fills.map((own, index) => [own, startOf(cells[index] as Cells)]));
    return reading({ fills: ordered, notes: [...notes, ...gapsIn(ordered, starts)] });
  },
};

/** The names that the API gives. */
const API = ['coin', 'px', 'sz', 'dir', 'closedPnl', 'startPosition'];

const KNOWN: readonly string[] = ['time', ...Object.values({ ...REQUIRED, ...OPTIONAL }).flat()].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/** The API's list of fills as the table that others make of it. */
function tableInJson(text: string): CsvTable {
  const root = jsonIn(text);
  if (!Array.isArray(root)) throw new RowError(null, 'must be a list of fills, as userFills gives it', 1);
  const lines = itemLines(text, 1);
  const records = root.map((item, index) => {
    const line = lines[index] ?? 1;
    return { line, values: asRecord(item, line) };
  });
  const names = Object.keys(records[0]?.values ?? {}).filter((name) => KNOWN.includes(name));
  const textIn = (value: unknown) => (typeof value === 'object' ? '' : String(value ?? ''));
  return {
    header: { line: 1, cells: names },
    rows: records.map(({ line, values }) => ({ line, cells: names.map((name) => textIn(values[name])) })),
  };
}

/** 1793656572148: milliseconds since 1970, as the API has them. */
function readable(time: Cell): Cell {
  return /^1\d{12}$/.test(time.text) ? { ...time, text: toInstantText(Number(time.text)) } : time;
}

type Cells = Record<keyof typeof REQUIRED | 'time', Cell> & Partial<Record<keyof typeof OPTIONAL, Cell>>;

/** The site's own file takes each fill's fee from its P&L, and so the fill that opens has one. */
function isPnlNet({ direction, fee, pnl, price }: Cells): boolean {
  const cost = numberIn(fee);
  const made = pnl ? orNothing(pnl, numberIn) : null;
  if (cost === 0 || made === null) return false;
  if (/^open /i.test(direction.text)) return made === 0 - cost;
  return /^buy$/i.test(direction.text) && Math.abs(made + cost * numberIn(price)) < 1e-6 * Math.abs(made);
}

interface Way {
  order: DateOrder;
  zone: string;
  /** Whether fees are taken from the P&L. */
  isNet: boolean;
}

function fillOf({ account, side, start: _, pnl, id, feeToken, ...cells }: Cells, way: Way): FileFill {
  refuseEmpty(...Object.values(cells));
  const { coin, direction, time } = cells;
  const done = { ...direction, text: direction.text.replace(/^Market Order Liquidation: /i, '') };
  const { side: implied, effect } = wordIn(done, DIRECTIONS);
  // Spot fills buy and sell; what is bought pays its fee in the coin.
  const isSpot = /^(Buy|Sell|Spot Dust Conversion)$/i.test(direction.text);
  const own = side ? sideIn(side, { A: 'sell' }) : implied;
  const fee = numberIn(cells.fee);
  return fill({
    line: coin.line,
    // What nobody traded with has the id 0, as every other of its kind.
    executionId: id && id.text !== '0' ? id.text : null,
    account: account?.text || null,
    instrument: coins(coin.text, 'USDC'),
    executedAt: instantIn({ ...time, text: time.text.replace(' - ', ' ') }, way.order, way.zone),
    side: own,
    effect,
    quantity: positiveIn(cells.size),
    price: numberIn(cells.price),
    ...(isSpot && own === 'buy' && !/^USD/.test(feeToken?.text ?? '') ? { feeQuantity: fee } : { fees: fee }),
    mayShort: !isSpot,
    stated: pnl && pnl.text !== '' ? { [way.isNet ? 'net' : 'gross']: numberIn(pnl) } : null,
  });
}

function startOf({ start }: Cells): number | null {
  return start ? orNothing(start, numberIn) : null;
}

/** Where a position isn't what the fill before left, fills are missing: an export has at most 2000 of a page. */
function gapsIn(fills: readonly FileFill[], starts: ReadonlyMap<FileFill, number | null>): string[] {
  const positions = new Map<string, number>();
  const gaps: string[] = [];
  for (const own of fills) {
    const { line, instrument, account, side, quantity, feeQuantity } = own;
    const start = starts.get(own) ?? null;
    if (start === null || quantity === null || side === null) continue;
    const key = `${account} ${instrument.symbol}`;
    const before = positions.get(key);
    if (before !== undefined && Math.abs(before - start) > 1e-6 * Math.max(1, Math.abs(start))) {
      gaps.push(`${instrument.symbol} on line ${line}`);
    }
    positions.set(key, start + (side === 'buy' ? quantity - feeQuantity : -quantity));
  }
  if (gaps.length === 0) return [];
  const more = gaps.length > 5 ? ` and ${gaps.length - 5} more` : '';
  return [
    `fills are missing: the position before is not what the fills before make (${gaps.slice(0, 5).join(', ')}${more})`,
  ];
}
