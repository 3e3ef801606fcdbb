/**
 * eToro's account statement: closed positions on one sheet of a workbook, in the
 * account's language. Rates are rounded and in the exchange's currency; amount, leverage,
 * units and profit are in the account's, and give the prices in it.
 */
import { roundMoney, totalMoney } from '../../money.ts';
import {
  byMeaning,
  cellError,
  moneyIn,
  orNothing,
  positiveIn,
  wordIn,
} from '../../parse/cells.ts';
import { type CsvRow, csvRows, plainName } from '../../parse/csv-rows.ts';
import { type Instrument, stock } from '../../parse/instruments.ts';
import { decimalOf, usualZone } from '../../parse/times.ts';
import {
  type Cells as CellsOf,
  mayBeEmpty,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { tradesTable } from '../tables/trades.ts';
import { KNOWN } from './known.ts';

const POSITION = ['Position ID', 'ID posizione'];
const DETAILS = ['Details', 'Dettagli'];
const CURRENCY = ['Currency', 'Moneta'];

const COLUMNS = {
  id: POSITION,
  action: ['Action', 'Azione'],
  direction: optional('Long / Short'),
  amount: ['Amount', 'Importo'],
  quantity: ['Units', 'Units / Contracts', 'Unità'],
  executed_at: ['Open Date', 'Data di apertura'],
  closed_at: ['Close Date', 'Data di chiusura'],
  leverage: mayBeEmpty(['Leverage', 'Leva']),
  gross_pnl: ['Profit(USD)', 'Profit (USD)', 'Profit', 'Profitto(USD)', 'Profitto'],
  fees: {
    column: [
      'Rollover Fees and Dividends',
      'Overnight Fees and Dividends',
      'Commissioni rollover e dividendi',
    ],
    optional: 'cells',
    read: moneyIn,
    sign: 'negate',
  },
  type: optional(['Type', 'Is Real', 'Tipologia']),
  isin: optional('ISIN'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

const SIDES = { Buy: 'long', Sell: 'short', Long: 'long', Short: 'short' } as const;

const TYPES = byMeaning({
  stock: 'Stocks, Stock, Azioni, ETF, ETFs',
  crypto: 'Crypto, Cripto',
  cfd: 'CFD, Crypto Margin, TRS, Commodities, Indices, Currencies',
  other: 'OPT, FUT, FOP',
  // A share or a coin; only shares have an ISIN.
  owned: 'Real, Reale',
});

export const etoro = tradesTable({
  ...KNOWN.etoro,
  columns: COLUMNS,
  dates: 'dmy',
  // Exchanges open at 14:30 and 08:00 in winter, whatever the account's country is.
  zone: (_, context) => usualZone(context, 'UTC', "that of eToro's times"),
  style: (rows) => ({
    decimal: decimalOf(
      rows.flatMap(({ quantity, gross_pnl }) => [quantity.text, gross_pnl.text]),
    ),
  }),
  instrument: instrumentOf,
  row(cells, trade, { style }) {
    const { amount, leverage, direction, action } = cells;
    const side = wordIn(
      direction?.text ? direction : { ...action, text: action.text.split(' ', 1).join() },
      SIDES,
    );
    const times =
      orNothing(leverage, (cell) =>
        positiveIn({ ...cell, text: cell.text.replace(/^x/i, '') }, style),
      ) ?? 1;
    const invested = moneyIn(amount, style) * times;
    if (!(invested > 0)) throw cellError(amount, 'must be above 0');

    const price = (money: number) => roundMoney(money / trade.quantity);
    const exit = price(side === 'long' ? invested + trade.gross : invested - trade.gross);

    return {
      side,
      multiplier: 1,
      entry: { ...trade.entry, price: price(invested) },
      exit: { ...trade.exit, price: exit },
    };
  },
  end(trades) {
    const profit = totalMoney(trades.map(({ gross }) => gross));
    const nights = totalMoney(trades.map(({ fees }) => -fees));
    return {
      notes: [
        `profit is ${profit}; rollover fees and dividends of ${nights} count as fees, or as gross if above 0`,
      ],
    };
  },
  states: ['net'],
  notes: [
    "prices are computed as amount times leverage per unit because the file's rates are rounded, and in the exchange's currency",
  ],
});

function instrumentOf(cells: Cells, file: TableFile<typeof COLUMNS>): Instrument {
  const { id, action, type, isin } = cells;
  const { tickers, currency } = file.once(detailsOf);
  const name = action.text.replace(/^(?:Buy|Sell) /, '');
  const symbol = tickers.get(id.text) ?? /\(([^()\s]{1,20})\)$/.exec(name)?.[1] ?? name;
  const word = type && orNothing(type, (cell) => wordIn(cell, TYPES));
  const owned = isin?.text && isin.text !== '-' ? 'stock' : 'crypto';
  const market = word === 'owned' ? owned : (word ?? 'other');

  return { ...stock(symbol, currency), market };
}

/**
 * Tickers of positions from the activity sheet, since closed positions have only names;
 * the currency from the summary.
 */
function detailsOf({ context, header }: TableFile<typeof COLUMNS>) {
  const tickers = new Map<string, string>();
  const isDollar = header.cells.some((name) => /\(USD\)/.test(name));
  let currency = 'USD';

  for (const sheet of context.otherSheets?.() ?? []) {
    const rows = csvRows(sheet);
    const [id, detail] = [placeOf(POSITION, rows[0]), placeOf(DETAILS, rows[0])];
    if (id !== -1 && detail !== -1) addTickers(tickers, rows, { id, detail });
    else if (!isDollar) currency = currencyIn(rows) ?? currency;
  }

  return { tickers, currency };
}

function addTickers(
  tickers: Map<string, string>,
  [, ...rows]: readonly CsvRow[],
  { id, detail }: { id: number; detail: number },
): void {
  for (const { cells } of rows) {
    const ticker = /^([^/]{1,20})\/[A-Z]{3,4}$/.exec((cells[detail] ?? '').trim())?.[1];
    if (ticker !== undefined) tickers.set((cells[id] ?? '').trim(), ticker);
  }
}

/** The place of a column with one of the names; -1 if none. */
function placeOf(names: readonly string[], header: CsvRow | undefined): number {
  const wanted = names.map(plainName);
  return header?.cells.findIndex((cell) => wanted.includes(plainName(cell))) ?? -1;
}

/** The currency of a summary; undefined in other sheets. */
function currencyIn([, ...rows]: readonly CsvRow[]): string | undefined {
  const row = rows.findLast(
    ({ cells: [name = '', currency = ''] }) =>
      CURRENCY.includes(name.trim()) && /^[A-Z]{3}$/.test(currency),
  );
  return row?.cells[1];
}
