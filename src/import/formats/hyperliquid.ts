/**
 * Hyperliquid's fills: perpetuals and spot of one account, with the position before each
 * if the export has it.
 */
import { RowError } from '../../errors.ts';
import { numberIn, orNothing, sideIn, wordIn } from '../../parse/cells.ts';
import { type CsvTable, readFilledCsv } from '../../parse/csv-rows.ts';
import { coins } from '../../parse/instruments.ts';
import { toInstantText } from '../../time.ts';
import { type FileFill, oldestFirst } from '../fills/reading.ts';
import type { Zone } from '../tables/clock.ts';
import { type Cells as CellsOf, optional } from '../tables/declaration.ts';
import { fillsTable } from '../tables/fills.ts';
import { KNOWN } from './known.ts';
import { HYPERLIQUID_API } from './recognisers.ts';
import { asRecord, itemLines, jsonIn } from './records.ts';

const COLUMNS = {
  coin: 'Coin',
  price: ['Execution Price', 'px'],
  quantity: ['Size Tokens', 'sz'],
  direction: ['Direction', 'dir'],
  fee: 'Fee',
  executed_at: {
    column: 'Timestamp IST',
    like: /^(Timestamp [A-Z]+|time)$/,
    text: readable,
  },
  account: optional('Account'),
  stated_side: optional('Side'),
  start: optional(['Start Position', 'startPosition']),
  gross_pnl: optional(['Closed PnL', 'closedPnl']),
  execution_id: optional(['Trade ID', 'tid']),
  feeToken: optional('feeToken'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

/** Sides and effects of directions. */
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

export const hyperliquid = fillsTable({
  ...KNOWN.hyperliquid,
  table: (text) => (/^\s*[[{]/.test(text) ? tableInJson(text) : readFilledCsv(text)),
  columns: COLUMNS,
  // The site writes 9/8/2026 in the United States, and 08/09/2026 elsewhere.
  dates: 'local',
  zone: zoneIn,
  instrument: ({ coin }) => coins(coin.text, 'USDC'),
  row({ direction, stated_side, fee, feeToken }, { executionId }) {
    const done = {
      ...direction,
      text: direction.text.replace(/^Market Order Liquidation: /i, ''),
    };
    const { side: implied, effect } = wordIn(done, DIRECTIONS);
    // Spot fills buy and sell; the fee of a purchase is in the coin.
    const isSpot = /^(Buy|Sell|Spot Dust Conversion)$/i.test(direction.text);
    const side = stated_side ? sideIn(stated_side, { A: 'sell' }) : implied;
    const isInCoin = isSpot && side === 'buy' && !/^USD/.test(feeToken?.text ?? '');

    return {
      // All fills without a counterparty have the id 0.
      executionId: executionId === '0' ? null : executionId,
      side,
      effect,
      [isInCoin ? 'feeQuantity' : 'fees']: numberIn(fee),
      mayShort: !isSpot,
    };
  },
  order: (fills) => fills,
  end(fills, { rows }) {
    const all = rows();
    // A spreadsheet shortens an id to 8.95E+14, which is invalid.
    const hasIds = all.every(({ execution_id }) =>
      /^\d+$/.test(execution_id?.text ?? ''),
    );
    const isNet = all.some(isPnlNet);
    const whole = fills.map((fill) => {
      const stated =
        isNet && fill.stated?.gross !== undefined
          ? { net: fill.stated.gross }
          : fill.stated;
      return { ...fill, stated, ...(hasIds ? {} : { executionId: null }) };
    });
    const starts = new Map(
      whole.map((fill, index) => [fill, orNothing(all[index]?.start, numberIn)]),
    );
    const ordered = oldestFirst(whole);

    return {
      fills: ordered,
      notes: [...(hasIds ? [] : [NO_IDS]), ...gapsIn(ordered, starts)],
    };
  },
});

const NO_IDS =
  'fill ids are missing or were rounded by a spreadsheet; equal fills are identified by their order';

const NAMES: readonly string[] = [
  'time',
  ...HYPERLIQUID_API,
  'fee',
  'side',
  'tid',
  'feeToken',
];

/** The API's list of fills as a table. */
function tableInJson(text: string): CsvTable {
  const root = jsonIn(text);
  if (!Array.isArray(root))
    throw new RowError(null, 'must be a list of fills from userFills', 1);

  const lines = itemLines(text, 1);
  const records = root.map((item, index) => {
    const line = lines[index] ?? 1;
    return { line, values: asRecord(item, line) };
  });
  const names = Object.keys(records[0]?.values ?? {}).filter((name) =>
    NAMES.includes(name),
  );
  const textIn = (value: unknown) =>
    typeof value === 'object' ? '' : String(value ?? '');

  return {
    header: { line: 1, cells: names },
    rows: records.map(({ line, values }) => ({
      line,
      cells: names.map((name) => textIn(values[name])),
    })),
  };
}

/**
 * 1793656572148: the API's milliseconds since 1970. The site has a dash before the time
 * of day.
 */
function readable(text: string): string {
  return /^1\d{12}$/.test(text) ? toInstantText(Number(text)) : text.replace(' - ', ' ');
}

/** The zone in a header. */
function zoneIn(column: string): Zone | undefined {
  const zone = { IST: 'Asia/Kolkata', UTC: 'UTC', GMT: 'UTC' }[
    /^Timestamp ([A-Z]+)$/.exec(column)?.[1] ?? ''
  ];
  return zone === undefined ? undefined : { zone };
}

/**
 * The site's own file subtracts each fill's fee from its P&L, so even an opening fill has
 * one.
 */
function isPnlNet({ direction, fee, gross_pnl: pnl, price }: Cells): boolean {
  const cost = numberIn(fee);
  const stated = orNothing(pnl, numberIn);
  if (cost === 0 || stated === null) return false;
  if (/^open /i.test(direction.text)) return stated === 0 - cost;

  return (
    /^buy$/i.test(direction.text) &&
    Math.abs(stated + cost * numberIn(price)) < 1e-6 * Math.abs(stated)
  );
}

/**
 * Notes on missing fills: a position that differs from the result of the fills before.
 * Exports have a maximum of 2000 fills.
 */
function gapsIn(
  fills: readonly FileFill[],
  starts: ReadonlyMap<FileFill, number | null>,
): string[] {
  const positions = new Map<string, number>();
  const gaps: string[] = [];
  for (const fill of fills) {
    const { line, instrument, account, side, quantity, feeQuantity } = fill;
    const start = starts.get(fill) ?? null;
    if (start === null || quantity === null || side === null) continue;

    const key = `${account} ${instrument.symbol}`;
    const before = positions.get(key);
    if (
      before !== undefined &&
      Math.abs(before - start) > 1e-6 * Math.max(1, Math.abs(start))
    ) {
      gaps.push(`${instrument.symbol} on line ${line}`);
    }

    positions.set(key, start + (side === 'buy' ? quantity - feeQuantity : -quantity));
  }

  if (gaps.length === 0) return [];

  const more = gaps.length > 5 ? ` and ${gaps.length - 5} more` : '';

  return [
    `missing fills: the stated position differs from the fills before it (${gaps.slice(0, 5).join(', ')}${more}); export shorter periods`,
  ];
}
