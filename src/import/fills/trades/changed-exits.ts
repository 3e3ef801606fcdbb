/**
 * Exits of earlier days that realise another amount since fills came or went: a close of
 * an open trade, an opening that a file lacked. The report names their days.
 */
import { exitsOf, matchedExits } from '../../../journal/trade-exits.ts';
import type { WriteSettings } from '../../../journal-write/record.ts';
import { roundMoney, totalMoney } from '../../../money.ts';
import { dateOfDay, fromInstantText, ZoneClock } from '../../../time.ts';
import {
  datedCosts,
  executionsOf,
  type WalkedTrade,
  walkedFields,
} from '../trade-record.ts';
import type { Walk } from '../walk/walk.ts';
import { netOf } from './write-unmatched.ts';

/** What exits of a day realised, before and after. */
export interface ChangedDay {
  date: string;
  currency: string;
  before: number;
  after: number;
}

/** Smaller changes are rounding. */
const LEAST = 0.005;

interface RealisedFill {
  executed_at: string;
  currency: string;
  net: number;
}

type Walked = { readonly [Name in 'trades' | 'unmatched']: Readonly<Walk[Name]> };

export class ChangedExits {
  readonly #settings: Pick<WriteSettings, 'user'>;
  readonly #clock: ZoneClock;
  readonly #days = new Map<string, ChangedDay>();

  constructor(settings: Pick<WriteSettings, 'user'>) {
    this.#settings = settings;
    this.#clock = new ZoneClock(settings.user.timezone);
  }

  add(before: Walked, after: Walked): void {
    if (before.trades.length + before.unmatched.length === 0) return;

    const former = this.#realised(before, after);
    if (former.size === 0) return;

    const present = this.#realised(after, before);
    for (const [fill, { executed_at, currency, net }] of former) {
      const now = present.get(fill);
      if (now && Math.abs(now.net - net) > LEAST)
        this.#put(executed_at, currency, net, now.net);
    }
  }

  get days(): ChangedDay[] {
    const days = [...this.#days.values()].map((day) => ({
      ...day,
      before: roundMoney(day.before),
      after: roundMoney(day.after),
    }));
    return days.sort((a, b) => (a.date < b.date ? -1 : 1));
  }

  #put(executedAt: string, currency: string, before: number, after: number): void {
    const date = dateOfDay(this.#clock.dayOf(fromInstantText(executedAt)));
    const key = `${date} ${currency}`;
    const day = this.#days.get(key) ?? { date, currency, before: 0, after: 0 };
    this.#days.set(key, {
      ...day,
      before: day.before + before,
      after: day.after + after,
    });
  }

  /** What fills realised by a walk, those of trades alone that another walk lacks. */
  #realised({ trades, unmatched }: Walked, other: Walked): Map<string, RealisedFill> {
    const same = new Map(other.trades.map((trade) => [trade.id, trade]));
    const different = trades.filter((trade) => !isSameTrade(trade, same.get(trade.id)));
    const realised = new Map<string, RealisedFill>();

    const add = (fill: string, of: RealisedFill) => {
      const net = totalMoney([realised.get(fill)?.net ?? 0, of.net]);
      realised.set(fill, { ...of, net });
    };
    for (const trade of different)
      for (const { fill, ...of } of realisedBy(trade, this.#settings.user.base_currency))
        add(fill, of);
    for (const { fill } of unmatched) {
      const net = netOf(fill, trades);
      const { execution_id, executed_at, currency } = fill;
      if (net !== null) add(execution_id, { executed_at, currency, net });
    }

    return realised;
  }
}

function isSameTrade(a: WalkedTrade, b: WalkedTrade | undefined): boolean {
  if (b === undefined || a.executions.length !== b.executions.length) return false;
  return a.executions.every((execution, i) => {
    const other = b.executions[i];
    return (
      execution.fill === other?.fill &&
      execution.quantity === other.quantity &&
      execution.price === other.price &&
      execution.fees === other.fees &&
      execution.stated_gross_pnl === other.stated_gross_pnl &&
      execution.stated_net_pnl === other.stated_net_pnl
    );
  });
}

function realisedBy(
  trade: WalkedTrade,
  baseCurrency: string,
): (RealisedFill & { fill: string })[] {
  const closing = trade.executions.filter(
    ({ side }) => side !== trade.executions[0]?.side,
  );
  if (closing.length === 0) return [];

  const fields = walkedFields(trade, baseCurrency);
  const { side } = trade;
  const matched = matchedExits({ ...fields, side }, executionsOf(trade));
  const dated = datedCosts(trade);
  const costs = totalMoney([
    ...matched.map(({ gross, net }) => gross - net),
    ...dated.map(({ amount }) => amount),
  ]);
  const paid = trade.open > 0 ? costs : fields.fees;
  const realised_pnl = roundMoney(fields.gross_pnl - paid);
  const exits = exitsOf({ ...fields, side, realised_pnl }, trade.executions, dated) ?? [];

  return exits.map(({ executed_at, net }, i) => ({
    fill: (closing[i] as WalkedTrade['executions'][number]).fill,
    executed_at,
    currency: fields.currency,
    net,
  }));
}
