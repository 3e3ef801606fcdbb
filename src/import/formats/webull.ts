/** Webull's orders with their filled quantities: shares or options, newest first, with a zone in each time, without fees. */
import { quote, RowError } from '../../errors.ts';
import { oldestFirst, type WholeReading } from '../fills/reading.ts';
import { type Cell, cellError, knownWord, refuseEmpty, wordIn } from '../parse/columns.ts';
import { coins, future, futureOf, type Instrument, occOption, option, optionIn, stock } from '../parse/instruments.ts';
import { numberIn } from '../parse/numbers.ts';
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

/** Reasons for skipping an unfilled order. An open order counts with its filled part. */
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

const COMBINATION = 'combination (its legs are imported)';

export const webull = fillsTable({
  name: 'webull',
  description: 'Webull: Orders > Order History > Export, of shares or options (CSV)',
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
    // The export has no ids. Facts that never change identify an order, so a later file can extend it.
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
  notes: [ORDERS, 'this export has no rows for expired options; to close them: journal-api expire --all'],
});

/** Legs of a combination have no name, and the same time of placement. */
function orderOf({ name, placed }: Cells): string | null {
  return name.text === '' ? placed.text : null;
}

/** @throws RowError if a filled combination has no legs in the file */
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
  const problem = `is missing, and ${quote(legless.name.text)} has no legs in this file; export the orders again`;
  throw new RowError(legless.symbol.column, problem, legless.symbol.line);
}

/** SPY 09/23/2022 00:00:00 EDT Call $371.00 */
const LONG_OPTION =
  /^(?<underlying>\S+) (?<expiration>\d\d\/\d\d\/\d{4}) [\d:]+ [A-Z]{3} (?<type>Call|Put) \$(?<strike>[\d.,]+)$/i;

/** Shares, options such as SPY260619C00450000, futures such as MESZ6, coins such as BTCUSD. */
function instrumentIn(symbol: Cell): Instrument {
  const { text } = symbol;
  const contract = occOption(text);
  if (contract) return option(contract);
  const long = optionIn(symbol, [LONG_OPTION], { order: 'mdy' });
  if (long) return long;
  if (/^[A-Z]{3,10}USD$/.test(text)) return coins(text, 'USD');
  if (!/\d/.test(text)) return stock(text);
  if (futureOf(text)) return future(text);
  throw cellError(symbol, 'must be a US share, an option such as SPY260619C00450000, or a future');
}
