/** Freqtrade's backtest result: closed trades of one or several strategies, as JSON, with fees as ratios and times in UTC. */
import * as z from 'zod';
import { RowError } from '../../errors.ts';
import { roundMoney, Sum } from '../../money.ts';
import { reading, type StatedTotal, skip } from '../fills/reading.ts';
import { firstZipped, isZip, textOrZipped } from '../parse/open-file.ts';
import { instantIn } from '../parse/times.ts';
import { closedTrades, pointsOf, type RoundTrip } from '../table/closed-trade.ts';
import type { Format } from '../table/format.ts';
import { pairOf } from './freqtrade.ts';
import { jsonIn } from './json.ts';

const order = z.object({ amount: z.number(), safe_price: z.number(), ft_is_entry: z.boolean() });

const trade = z.object({
  pair: z.string(),
  amount: z.number(),
  open_date: z.string(),
  close_date: z.string().nullish(),
  open_rate: z.number(),
  close_rate: z.number().nullish(),
  fee_open: z.number(),
  fee_close: z.number(),
  profit_abs: z.number().nullish(),
  funding_fees: z.number().nullish(),
  is_open: z.boolean().nullish(),
  is_short: z.boolean().nullish(),
  orders: z.array(order).nullish(),
});

const result = z.object({ strategy: z.record(z.string(), z.object({ trades: z.array(trade) })) });

/** Name of the result. The archive also has the configuration, the strategy and its parameters, with longer names. */
const RESULT = /\bbacktest-result-[\d_-]+\.json/i;

export const freqtradeBacktest: Format = {
  name: 'freqtrade-backtest',
  description: 'Freqtrade: a backtest result (its zip, or the JSON in it)',
  evidence: 'real files',
  holds: 'trades',
  binary: true,
  looksLike: (start) =>
    isZip(start)
      ? firstZipped(start, RESULT)
      : /^\s*\{/.test(start) && /"strategy"\s*:\s*\{\s*"[^"]*"\s*:\s*\{/.test(start),
  read(bytes) {
    const { strategy } = resultIn(textOrZipped(bytes, (name) => RESULT.test(name), 'backtest result'));
    const skipped = new Map<string, number>();
    const trades: RoundTrip[] = [];
    const stated: { net: number; trade: RoundTrip }[] = [];
    for (const [name, { trades: own }] of Object.entries(strategy)) {
      const account = Object.keys(strategy).length > 1 ? name : null;
      for (const row of own) {
        const closed = closedTradeOf(row, account);
        if (!closed) {
          skip(skipped, 'open trade');
          continue;
        }
        trades.push(closed);
        if (typeof row.profit_abs === 'number') stated.push({ net: row.profit_abs, trade: closed });
      }
    }
    const { records, notes } = closedTrades('freqtrade-backtest', trades);
    return reading({ records, skipped, notes, stated: totalsOf(stated) });
  },
};

function resultIn(text: string): z.infer<typeof result> {
  const parsed = result.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RowError(issue?.path.join('.') ?? null, issue?.message ?? 'not a backtest result', 1);
}

/** Undefined if it is still open. */
function closedTradeOf(row: z.infer<typeof trade>, account: string | null): RoundTrip | undefined {
  if (row.is_open || !row.close_date || typeof row.close_rate !== 'number') return undefined;
  const time = (text: string, column: string) => instantIn({ text, column, line: 1 }, 'ymd', 'UTC');
  const entered = averageOf(row.orders?.filter(({ ft_is_entry: isEntry }) => isEntry));
  const left = averageOf(row.orders?.filter(({ ft_is_entry: isEntry }) => !isEntry));
  // If the position was increased or reduced on the way, the trade's own amount is only the rest.
  const isWhole = (row.orders?.length ?? 0) <= 2 || !entered || !left;
  const quantity = isWhole ? row.amount : left.amount;
  const closed: RoundTrip = {
    line: 1,
    id: null,
    account,
    instrument: pairOf({ text: row.pair, column: 'pair', line: 1 }),
    side: row.is_short ? 'short' : 'long',
    quantity,
    entry: { executedAt: time(row.open_date, 'open_date'), price: isWhole ? row.open_rate : entered.price },
    exit: { executedAt: time(row.close_date, 'close_date'), price: isWhole ? row.close_rate : left.price },
    gross: 0,
    fees: 0,
    multiplier: 1,
  };
  closed.gross = roundMoney(pointsOf(closed));
  const fees = closed.entry.price * row.fee_open + closed.exit.price * row.fee_close;
  closed.fees = roundMoney(quantity * fees - (row.funding_fees ?? 0));
  return closed;
}

function averageOf(
  orders: readonly z.infer<typeof order>[] | undefined,
): { amount: number; price: number } | undefined {
  const amount = orders?.reduce((sum, own) => sum + own.amount, 0) ?? 0;
  if (!orders || amount <= 0) return undefined;
  return { amount, price: orders.reduce((sum, own) => sum + own.amount * own.safe_price, 0) / amount };
}

/** Profits are after fees, in some versions before them: the prices decide. */
function totalsOf(stated: readonly { net: number; trade: RoundTrip }[]): StatedTotal[] {
  return [...Map.groupBy(stated, ({ trade: { instrument } }) => instrument.currency)].map(([currency, own]) => {
    const sum = (amountOf: (one: { net: number; trade: RoundTrip }) => number): number => {
      const total = new Sum();
      for (const one of own) total.add(amountOf(one));
      return total.value;
    };
    const amount = sum(({ net }) => net);
    const gross = sum(({ trade: closed }) => closed.gross);
    const fees = sum(({ trade: closed }) => closed.fees);
    const isGross = Math.abs(amount - gross) < Math.abs(amount - (gross - fees));
    return { what: isGross ? 'gross' : 'net', currency, symbol: null, amount: roundMoney(amount) };
  });
}
