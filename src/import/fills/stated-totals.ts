/** What a file states besides its fills and records: to be compared with what its trades make. */
import { roundMoney, Sum } from '../../money.ts';
import type { FileFill, StatedTotal } from './reading.ts';

/** A total, with what is known of its parts. */
interface TotalOfRows extends StatedTotal {
  /** What the rows of each symbol add up to; undefined for a total that the file states as one. */
  bySymbol?: ReadonlyMap<string, number>;
}

export interface Statement {
  totals: TotalOfRows[];
  /** Fees in currencies that the file has no rate for. */
  otherFees: { currency: string; amount: number }[];
}

/** The totals that the file states, and the sums of what its rows state: no reader gives both of the same. */
export function statementOf(stated: readonly StatedTotal[], fills: readonly FileFill[]): Statement {
  const totals: TotalOfRows[] = [...stated];
  const symbolOf = currentSymbols(fills);
  for (const what of ['gross', 'net'] as const) {
    const rows = fills.filter((fill) => fill.stated?.[what] !== undefined);
    for (const [currency, own] of Map.groupBy(rows, ({ instrument }) => instrument.currency)) {
      const amountOf = (some: readonly FileFill[]) => sum(some.map((fill) => fill.stated?.[what] ?? 0));
      const symbols = Map.groupBy(own, ({ instrument }) => symbolOf(instrument.symbol));
      totals.push({
        ...{ what, currency, symbol: null, amount: amountOf(own) },
        bySymbol: new Map([...symbols].map(([symbol, some]) => [symbol, amountOf(some)])),
        // Rows that open may state their costs as a loss.
        isRealised: !own.some(({ stated: row, fees }) => fees !== 0 && row?.net === 0 - fees),
      });
    }
  }
  const fees = fills.flatMap(({ otherFee }) => otherFee ?? []);
  const otherFees = [...Map.groupBy(fees, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    amount: sum(own.map(({ amount }) => amount)),
  }));
  return { totals, otherFees };
}

/** What a symbol is called once the file's changes of symbols are done: so is the trade. */
function currentSymbols(fills: readonly FileFill[]): (symbol: string) => string {
  const later = new Map(
    fills.flatMap(({ formerSymbol, instrument }) => (formerSymbol ? [[formerSymbol, instrument.symbol]] : [])),
  );
  return (symbol) => {
    let name = symbol;
    // A symbol may be given back.
    for (let steps = later.size; steps > 0 && later.has(name); steps--) name = later.get(name) as string;
    return name;
  };
}

function sum(amounts: readonly number[]): number {
  const total = new Sum();
  for (const amount of amounts) total.add(amount);
  return roundMoney(total.value);
}
