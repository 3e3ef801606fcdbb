/** Expirations that the user booked, since no file states them: each closes what its option has open after all stated fills. */
import type { Fill } from '../../../import-tables/fill-row.ts';
import { REST_OF_DAY } from '../../../journal/expirations.ts';
import { fromInstantText } from '../../../time.ts';
import { instrumentKey, isSameAccount } from '../identity.ts';
import type { WalkedTrade } from '../trade-record.ts';

/**
 * @param open trades that the stated fills leave open
 * @returns the booked fills that close one of them, with its account, its units and the time of its last fill of that day if later
 */
export function bookedCloses(booked: readonly Fill[], open: readonly WalkedTrade[]): Fill[] {
  return booked.flatMap((fill) => {
    const trade = tradeOf(fill, open);
    if (!trade) return [];
    const midnight = fromInstantText(fill.executed_at) + REST_OF_DAY;
    const opens = trade.side === 'long' ? 'buy' : 'sell';
    // Nothing opens later, unless the file's zone is wrong: then the position must be there first.
    const times = trade.executions.filter((own) => own.side === opens || fromInstantText(own.executed_at) < midnight);
    const executed_at = times.reduce(
      (last, own) => (own.executed_at > last ? own.executed_at : last),
      fill.executed_at,
    );
    return [{ ...fill, account: trade.opening.account, quantity: trade.open, executed_at }];
  });
}

/** The trade in the same account; else the only one, if a file names the account and another omits it. */
function tradeOf(fill: Fill, open: readonly WalkedTrade[]): WalkedTrade | undefined {
  const keyOf = (own: Fill) => instrumentKey({ ...own, account: null });
  const alike = open.filter(
    ({ instrument, opening }) => keyOf(instrument) === keyOf(fill) && isSameAccount(opening, fill),
  );
  const own = alike.find(({ opening }) => opening.account?.toLowerCase() === fill.account?.toLowerCase());
  return own ?? (alike.length === 1 ? alike[0] : undefined);
}

/** The fills in order, with the booked closes after all others of their instant. */
export function withBooked(stated: readonly Fill[], closes: readonly Fill[]): Fill[] {
  const fills = [...stated];
  for (const close of closes) {
    const next = fills.findIndex(({ executed_at }) => executed_at > close.executed_at);
    fills.splice(next < 0 ? fills.length : next, 0, close);
  }
  return fills;
}
