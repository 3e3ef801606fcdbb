/**
 * OANDA's transactions: fills of netted positions, with a P&L in the account's currency,
 * which the file doesn't name. Units of a close have a minus, whatever its side.
 */
import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import { cellError, positiveIn, sumIn, wordIn } from '../../parse/cells.ts';
import { type CsvTable, raggedTable } from '../../parse/csv-rows.ts';
import { cfdOrPair, forexPair } from '../../parse/instruments.ts';
import { offsetOf } from '../../time.ts';
import { compareIds } from '../fills/identity.ts';
import { byTime } from '../fills/reading.ts';
import {
  closedTrades,
  pointsOf,
  type RoundTrip,
  totalOf,
} from '../tables/closed-trade.ts';
import {
  type Cells as CellsOf,
  mayBeEmpty,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { baseCurrencyNote, type ReadContext } from '../tables/format.ts';
import { rowsTable } from '../tables/rows.ts';
import { KNOWN } from './known.ts';

const COLUMNS = {
  ticket: 'TICKET',
  executed_at: {
    column: 'TRANSACTION DATE',
    text: (text: string) =>
      text.replace(/(?<= )[A-Z]{3,4}$/, (zone) => offsetOf(zone) ?? zone),
  },
  type: 'TRANSACTION TYPE',
  symbol: mayBeEmpty('INSTRUMENT'),
  price: mayBeEmpty('PRICE'),
  units: mayBeEmpty('UNITS'),
  side: mayBeEmpty('DIRECTION'),
  financing: optional('FINANCING'),
  commission: optional('COMMISSION'),
  guarantee: optional('GSL FEE'),
  // For information: prices include the spread, and the P&L the conversion.
  spread: optional(['SPREAD COST', 'ESTIMATED SPREAD COST']),
  conversion: optional('CONVERSION FEE'),
  pnl: mayBeEmpty('PL'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

const PART_OF_FINANCING = 'financing by position';

export const oanda = rowsTable({
  ...KNOWN.oanda,
  table: wholeRows,
  columns: COLUMNS,
  dates: 'ymd',
  skip({ ticket, type, pnl }) {
    if (type.text === 'ORDER_FILL') return undefined;
    // Without a ticket, a row is a part of the financing above it.
    if (ticket.text === '' && type.text === 'DAILY_FINANCING') return PART_OF_FINANCING;
    if (sumIn([pnl]) === 0) return type.text.toLowerCase().replaceAll('_', ' ');
    throw cellError(type, 'must be ORDER_FILL for a row with a P&L');
  },
  flows: {
    meanings: [[/financing$/, 'interest']],
    read: ({ ticket, financing, symbol, type }, { context }) => [
      {
        id: ticket.text,
        amount: sumIn([financing]),
        currency: context.user.base_currency,
        symbol: symbol.text || null,
        description: type.text,
      },
    ],
  },
  end(rows, file) {
    const { trades, open, unopened } = positionsOf(rows, file);
    file.skip('fill of a position that is still open', open);
    file.skip('close of a position opened before the file', unopened.length);

    const { records, notes } = closedTrades('oanda', trades);
    refuseForeign(trades, file.context.user);
    const lost = roundMoney(sumIn(unopened.map(({ pnl }) => pnl)));
    return {
      records,
      stated: totalOf(trades, 'gross'),
      notes: [
        baseCurrencyNote(file.context),
        ...(unopened.length > 0
          ? [
              `positions opened before the file, with a P&L of ${lost}, are skipped; export from their opening on`,
            ]
          : []),
        ...notes,
      ],
    };
  },
  allCosts: true,
});

/**
 * A row may lack the empty cell of its P&L: the balance is then that of the row before.
 */
function wholeRows(text: string): CsvTable {
  const { header, rows } = raggedTable('TRANSACTION TYPE')(text);
  const width = header.cells.length;
  let balance: string | undefined;

  return {
    header,
    rows: rows.map(({ line, cells }) => {
      const isShort = cells.length === width - 1 && cells.at(-1) === balance;
      const whole = isShort ? [...cells.slice(0, -1), '', ...cells.slice(-1)] : cells;
      if (whole.length !== width)
        throw new RowError(
          null,
          `has ${cells.length} cells, but the header has ${width}`,
          line,
        );
      balance = whole.at(-1);
      return { line, cells: whole };
    }),
  };
}

/**
 * @throws RowError if trades priced in the base currency made another amount than their
 * prices give
 */
function refuseForeign(
  trades: readonly RoundTrip[],
  { id, base_currency: currency }: ReadContext['user'],
): void {
  for (const trade of trades) {
    const points = pointsOf(trade);
    const { symbol } = trade.instrument;
    if (forexPair(pairOf(symbol))?.currency !== currency || Math.abs(points) < 0.05)
      continue;
    if (Math.abs(trade.gross / points - 1) <= 0.05) continue;
    const problem = `${trade.gross} isn't in ${currency}, your base currency, in which the prices of ${symbol} give ${roundMoney(points)}`;
    const remedy = `set the account's currency first, such as: journal-api user set ${id} --base-currency AUD`;
    throw new RowError('PL', `${problem}; ${remedy}`, trade.line);
  }
}

function pairOf(symbol: string): string {
  return symbol.replace('_', '/');
}

/** A netted position from flat to flat: sums of its sides. */
interface Position {
  first: Cells;
  side: 'buy' | 'sell';
  opened: { units: number; value: number };
  closed: { units: number; value: number };
  rows: Cells[];
  gross: number;
  fees: number;
}

function positionsOf(
  rows: readonly Cells[],
  file: TableFile,
): { trades: RoundTrip[]; open: number; unopened: Cells[] } {
  const positions = new Positions(file);
  for (const cells of inOrder(rows, file)) positions.fill(cells);
  const { trades, unopened, open } = positions;
  return {
    trades,
    unopened,
    open: open.reduce((sum, position) => sum + position.rows.length, 0),
  };
}

/** The positions of all symbols while fills are read in their order. */
class Positions {
  readonly trades: RoundTrip[] = [];
  /** Rows of positions opened before the file. */
  readonly unopened: Cells[] = [];
  readonly #file: TableFile;
  readonly #open = new Map<string, Position>();

  constructor(file: TableFile) {
    this.#file = file;
  }

  get open(): Position[] {
    return [...this.#open.values()];
  }

  fill(cells: Cells): void {
    const side = wordIn(cells.side, { Buy: 'buy', Sell: 'sell' } as const);
    const units = positiveIn({
      ...cells.units,
      text: cells.units.text.replace(/^-/, ''),
    });
    const price = positiveIn(cells.price);
    const position = this.#open.get(cells.symbol.text);

    if (position && position.side !== side) this.#reduce(position, cells, units, price);
    else if (sumIn([cells.pnl]) !== 0) this.unopened.push(cells);
    else {
      const costs = costsOf(cells);
      const increased = this.#increase(cells, side, roundMoney(units), price);
      increased?.rows.push(cells);
      if (increased) increased.fees -= costs;
    }
  }

  /**
   * Closes units of a position; a fill of more units opens the opposite one with the
   * rest.
   */
  #reduce(position: Position, cells: Cells, units: number, price: number): void {
    const { text: symbol } = cells.symbol;
    const closing = Math.min(units, position.opened.units - position.closed.units);
    const isCloseOnly = cells.units.text.startsWith('-');
    if (isCloseOnly && units > closing) {
      for (const row of [...position.rows, cells]) this.unopened.push(row);
      this.#open.delete(symbol);
      return;
    }

    position.rows.push(cells);
    position.gross += sumIn([cells.pnl]);
    position.fees -= costsOf(cells);
    position.closed.units = roundMoney(position.closed.units + closing);
    position.closed.value += closing * price;

    if (position.closed.units >= position.opened.units) {
      this.trades.push(tradeOf(position, cells, this.#file));
      this.#open.delete(symbol);
    }

    const opposite = position.side === 'buy' ? 'sell' : 'buy';
    this.#increase(cells, opposite, roundMoney(units - closing), price);
  }

  /** @returns undefined if there are no units to add */
  #increase(
    cells: Cells,
    side: Position['side'],
    units: number,
    price: number,
  ): Position | undefined {
    if (units === 0) return undefined;
    const position = this.#open.get(cells.symbol.text) ?? emptyPosition(cells, side);
    this.#open.set(cells.symbol.text, position);
    position.opened.units = roundMoney(position.opened.units + units);
    position.opened.value += units * price;
    return position;
  }
}

function costsOf({ financing, commission, guarantee }: Cells): number {
  return sumIn([financing, commission, guarantee]);
}

function emptyPosition(first: Cells, side: 'buy' | 'sell'): Position {
  const none = () => ({ units: 0, value: 0 });
  return { first, side, opened: none(), closed: none(), rows: [], gross: 0, fees: 0 };
}

function inOrder(rows: readonly Cells[], file: TableFile): Cells[] {
  const timed = rows.map((cells) => ({
    cells,
    executedAt: file.instantIn(cells.executed_at),
    id: cells.ticket.text,
  }));
  return timed
    .sort((a, b) => byTime(a, b) || compareIds(a.id, b.id))
    .map(({ cells }) => cells);
}

function tradeOf(
  { first, side, opened, closed, gross, fees }: Position,
  last: Cells,
  file: TableFile,
): RoundTrip {
  const { base_currency: currency } = file.context.user;
  const { text: symbol } = first.symbol;

  return {
    line: last.ticket.line,
    id: first.ticket.text,
    account: null,
    instrument: { ...cfdOrPair(pairOf(symbol), currency), symbol },
    side: side === 'buy' ? 'long' : 'short',
    quantity: opened.units,
    entry: {
      executedAt: file.instantIn(first.executed_at),
      price: roundMoney(opened.value / opened.units),
    },
    exit: {
      executedAt: file.instantIn(last.executed_at),
      price: roundMoney(closed.value / closed.units),
    },
    gross: roundMoney(gross),
    fees: roundMoney(fees),
  };
}
