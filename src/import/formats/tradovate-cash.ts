/**
 * Tradovate's Cash History: costs of each fill by account, contract and second, and P&L of each pair of fills. It has no sides,
 * quantities or prices. The costs are added to fills without costs from other exports.
 */
import { roundMoney, Sum } from '../../money.ts';
import { type FileFill, fill, type StatedTotal } from '../fills/reading.ts';
import { byMeaning, type Cell, cellError, wordIn } from '../parse/columns.ts';
import { future } from '../parse/instruments.ts';
import { moneyIn } from '../parse/numbers.ts';
import { type Cells as CellsOf, mayBeEmpty, type TableFile } from '../table/declaration.ts';
import { rowsTable } from '../table/rows.ts';
import { fillIdIn } from './tradovate.ts';

const COLUMNS = {
  account: mayBeEmpty('Account'),
  id: 'Transaction ID',
  executed_at: 'Timestamp',
  amount: 'Delta',
  type: 'Cash Change Type',
  currency: 'Currency',
  symbol: mayBeEmpty('Contract'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

const TYPES = byMeaning({
  cost: 'Commission, Exchange Fee, Clearing Fee, Nfa Fee, Brokerage Fee, IP Fee, Order Routing Fee, Platform Fee',
  made: 'Trade Paired',
});

export const tradovateCash = rowsTable({
  name: 'tradovate-cash',
  description: 'Tradovate: Reports, Cash History (CSV): costs of the fills of Orders, Performance or Position History',
  evidence: 'real files',
  platform: 'tradovate',
  hasUniqueIds: true,
  marks: [COLUMNS.id, COLUMNS.amount, COLUMNS.type],
  columns: COLUMNS,
  dates: ['mdy', 'ymd'],
  notes: ['costs without a fill wait for it; import Orders, Performance or Position History too, with the same zone'],
  // Deposits, resets and data fees have no contract.
  skip: ({ type, symbol }) => (symbol.text === '' ? type.text.toLowerCase() : undefined),
  end(rows, file) {
    const kindOf = (cells: Cells) => wordIn(cells.type, TYPES);
    const made = new Map<string, Sum>();
    const costs: FileFill[] = [];
    for (const cells of rows) {
      if (kindOf(cells) === 'cost') costs.push(costOf(cells, file));
      else {
        const { currency, amount } = cells;
        const sum = made.get(currency.text) ?? new Sum();
        made.set(currency.text, sum);
        sum.add(moneyIn(amount));
        file.skip('pair of fills (compared only)');
      }
    }
    return { fills: costs, stated: [...statedOf(made), ...statedFees(costs)] };
  },
});

function costOf({ account, id, executed_at, amount, currency, symbol }: Cells, file: TableFile): FileFill {
  const instrument = future(symbol.text);
  const cost = 0 - moneyIn(amount);
  return fill({
    line: id.line,
    executionId: fillIdIn(id),
    account: account.text || null,
    instrument,
    executedAt: wholeSecond(file.instantIn(executed_at), executed_at),
    kind: 'cost',
    side: null,
    quantity: null,
    price: 0,
    fees: currency.text === instrument.currency ? cost : 0,
    otherFee: currency.text === instrument.currency ? null : { amount: cost, currency: currency.text },
  });
}

function wholeSecond(instant: string, cell: Cell): string {
  if (instant.endsWith('.000Z')) return instant;
  throw cellError(cell, 'must be a time in whole seconds, such as 11/20/2026 16:33:05');
}

const WAITING = 'fills are missing, or have their own fees';

function statedOf(made: ReadonlyMap<string, Sum>): StatedTotal[] {
  return [...made].map(([currency, { value }]) => ({
    what: 'gross',
    currency,
    symbol: null,
    amount: roundMoney(value),
    why: WAITING,
  }));
}

function statedFees(costs: readonly FileFill[]): StatedTotal[] {
  return [...Map.groupBy(costs, ({ instrument }) => instrument.currency)].map(([currency, own]) => {
    const sum = new Sum();
    for (const { fees } of own) sum.add(fees);
    return { what: 'fees', currency, symbol: null, amount: roundMoney(sum.value), why: WAITING };
  });
}
