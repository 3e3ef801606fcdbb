/** The totals that a file states, for comparison with its trades. */
import { totalMoney } from '../../money.ts';
import type { FileFill, StatedTotal } from './reading.ts';

/** A total, with its parts if known. */
interface TotalOfRows extends StatedTotal {
  /** Sums of rows by symbol; undefined for a total stated as one. */
  bySymbol?: ReadonlyMap<string, number>;
}

export interface Statement {
  totals: TotalOfRows[];
  /** Fees in currencies without an exchange rate in the file. */
  otherFees: { currency: string; amount: number }[];
}

/** The file's stated totals, and sums of its rows: no reader gives both of the same. */
export function statementOf(stated: readonly StatedTotal[], fills: readonly FileFill[]): Statement {
  const totals: TotalOfRows[] = [...stated];
  const symbolOf = currentSymbols(fills);
  for (const what of ['gross', 'net'] as const) {
    const rows = fills.filter((fill) => fill.stated?.[what] !== undefined);
    for (const [currency, own] of Map.groupBy(rows, ({ instrument }) => instrument.currency)) {
      const amountOf = (some: readonly FileFill[]) => totalMoney(some.map((fill) => fill.stated?.[what] ?? 0));
      const symbols = Map.groupBy(own, ({ instrument }) => symbolOf(instrument.symbol));
      totals.push({
        ...{ what, currency, symbol: null, amount: amountOf(own) },
        bySymbol: new Map([...symbols].map(([symbol, some]) => [symbol, amountOf(some)])),
        // Opening rows may state their costs as a loss.
        isRealised: !own.some(({ stated: row, fees }) => fees !== 0 && row?.net === 0 - fees),
      });
    }
  }
  const fees = fills.flatMap(({ otherFee }) => otherFee ?? []);
  const otherFees = [...Map.groupBy(fees, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    amount: totalMoney(own.map(({ amount }) => amount)),
  }));
  return { totals, otherFees };
}

/** A symbol's name after the file's symbol changes, as its trade has it. */
function currentSymbols(fills: readonly FileFill[]): (symbol: string) => string {
  const later = new Map(
    fills.flatMap(({ formerSymbol, instrument }) => (formerSymbol ? [[formerSymbol, instrument.symbol]] : [])),
  );
  return (symbol) => {
    let name = symbol;
    // A symbol may be changed back: the number of steps is bounded.
    for (let steps = later.size; steps > 0 && later.has(name); steps--) name = later.get(name) as string;
    return name;
  };
}
