/** Webull's orders, each with what it filled: shares or options, newest first, with the zone in each time, without fees. */
import { quote, RowError } from '../../journal-write/row-error.ts';
import { oldestFirst, type WholeReading } from '../fills/reading.ts';
import { type Cell, refuseEmpty } from '../parse/columns.ts';
import { futureOf } from '../parse/contract-sizes.ts';
import { coins, future, type Instrument, occOption, option, stock } from '../parse/instruments.ts';
import { numberIn } from '../parse/numbers.ts';
import { knownWord, wordIn } from '../parse/words.ts';
import { type Cells as CellsOf, mayBeEmpty, ORDERS } from '../table/declaration.ts';
import { fillsTable, inOrderOfTime } from '../table/fills.ts';

const COLUMNS = {
  name: mayBeEmpty('Name'),
  symbol: mayBeEmpty('Symbol'),
  side: {
    column: 'Side',
    words: {
      Buy: 'buy',
      Sell: 'sell',
      Short: { side: 'sell', mayShort: true },
      'Sell Short': { side: 'sell', mayShort: true },
      'Buy to Cover': { side: 'buy', effect: 'close' },
    },
  },
  status: 'Status',
  quantity: 'Filled',
  total: 'Total Qty',
  limit: mayBeEmpty('Price'),
  price: { column: 'Avg Price', text: (text: string) => text.replace(/^@/, '') },
  placed: 'Placed Time',
  executed_at: 'Filled Time',
} as const;

type Cells = CellsOf<typeof COLUMNS>;

/** Why an order that filled nothing is skipped. An order that is still open counts with what it filled so far. */
const STATUSES = {
  Filled: null,
  'Partial Filled': null,
  'Partially Filled': null,
  Cancelled: 'cancelled order',
  Canceled: 'cancelled order',
  Failed: 'failed order',
  Rejected: 'rejected order',
  Expired: 'expired order',
  Pending: 'open order',
  Working: 'open order',
  Submitted: 'open order',
} as const;

const COMBINATION = 'combination: its legs are read';

export const webull = fillsTable({
  name: 'webull',
  description: 'Webull: Orders > Order History > Export, of shares or of options (CSV)',
  evidence: 'real files',
  hasUniqueIds: true,
  marks: ['Symbol', 'Side', 'Filled', 'Total Qty', 'Avg Price', 'Placed Time', 'Filled Time'],
  columns: COLUMNS,
  dates: 'mdy',
  skip(cells) {
    const { name, symbol, status, quantity } = cells;
    const isUnfilled = quantity.text === '' || numberIn(quantity) === 0;
    const reason = isUnfilled ? knownWord(status, STATUSES) : wordIn(status, STATUSES);
    if (isUnfilled && reason !== null) return reason ?? `${status.text.toLowerCase()} order`;
    return symbol.text === '' && name.text !== '' ? COMBINATION : undefined;
  },
  instrument: ({ symbol }) => instrumentIn(symbol),
  row: ({ symbol }, { instrument, mayShort }) => {
    refuseEmpty(symbol);
    return { mayShort: mayShort || instrument.market === 'option' || instrument.market === 'future' };
  },
  order: (fills) => inOrderOfTime(oldestFirst(fills)),
  end(fills, { rows }): Partial<WholeReading> {
    const all = rows();
    refuseLegless(all);
    const orders = new Map(all.map((cells) => [cells.symbol.line, cells]));
    const seen = new Map<string, number>();
    // The export has no ids. What stays the same of an order until it is done tells whether a later file has more of it.
    const identified = fills.map((fill) => {
      const cells = orders.get(fill.line) as Cells;
      const { placed, side, total, limit } = cells;
      const order = [placed, side, total, limit].map(({ text }) => text).join(' ');
      const key = `${fill.instrument.symbol} ${order}`;
      const ordinal = (seen.get(key) ?? 0) + 1;
      seen.set(key, ordinal);
      return { ...fill, executionId: ordinal === 1 ? order : `${order} ${ordinal}`, orderId: orderOf(cells) };
    });
    return { fills: identified };
  },
  hasFees: false,
  notes: [ORDERS, 'options that expire have no row in this export: they stay open'],
});

/** The legs of a combination have no name, and were placed together. */
function orderOf({ name, placed }: Cells): string | null {
  return name.text === '' ? placed.text : null;
}

/** @throws RowError if a combination has filled and none of its legs is in the file: they would be missing */
function refuseLegless(rows: readonly Cells[]): void {
  const legs = new Set(rows.filter(({ name }) => name.text === '').map(({ placed }) => placed.text));
  const legless = rows.find(
    ({ name, symbol, quantity, placed }) =>
      symbol.text === '' &&
      name.text !== '' &&
      quantity.text !== '' &&
      numberIn(quantity) > 0 &&
      !legs.has(placed.text),
  );
  if (!legless) return;
  const { column, line } = legless.symbol;
  throw new RowError(
    column,
    `is missing, and ${quote(legless.name.text)} has no legs in this file: export the orders again`,
    line,
  );
}

/** Shares, options as SPY260619C00450000, futures as MESZ6, coins as BTCUSD. */
function instrumentIn(symbol: Cell): Instrument {
  const { text, column, line } = symbol;
  const contract = occOption(text);
  if (contract) return option(contract);
  if (/^[A-Z]{3,10}USD$/.test(text)) return coins(text, 'USD');
  if (!/\d/.test(text)) return stock(text);
  if (futureOf(text)) return future(text);
  throw new RowError(
    column,
    `must be a share of the US, an option such as SPY260619C00450000, or a future; got ${quote(text)}`,
    line,
  );
}
