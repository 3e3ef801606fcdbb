/**
 * Books expirations that no file states: as fills of their options, or on records of
 * trades without fills.
 */
import { UserError } from '../errors.ts';
import { bookedExpiration } from '../import/fills/identity.ts';
import { makeTrades, walkBefore } from '../import/fills/make-trades.ts';
import { expiredOptions } from '../import/report/notices.ts';
import type { TargetOptions } from '../import/write/target-journal.ts';
import { expiresAt, REST_OF_DAY } from '../journal/derivatives.ts';
import { type Trade, trades } from '../journal/resources/trades.ts';
import type { Values, WholeRecord } from '../journal-write/record.ts';
import { asDecimal, roundMoney } from '../money.ts';
import { applyRates } from '../statements/exchange-rates.ts';
import type { Fill } from '../statements/fill-row.ts';
import { FillTable, NOTHING_WRITTEN } from '../statements/fills.ts';
import { toInstantText } from '../time.ts';
import { type Edit, type LineReport, withLine } from './edit.ts';

export interface ExpireReport extends LineReport {
  /** Trades that are closed now, with the units that were open. */
  expired: (Pick<
    Trade,
    'id' | 'symbol' | 'account' | 'side' | 'currency' | 'quantity' | 'net_pnl'
  > & {
    price: number;
    closed_at: string;
  })[];
}

/** An open option, with the moment of its expiration. */
type OpenOption = Trade & { at: string };

/** The expiration of an option, as a fill of the line. */
interface Booking {
  /** The fill that opened the trade. */
  opening: Fill;
  booked: Fill;
}

/**
 * @param ids of trades; undefined: all options that are open after their expiration
 * @throws UserError if one can't expire
 */
export function expire(
  options: TargetOptions,
  ids: readonly string[] | undefined,
  price: number,
  line: string,
): ExpireReport {
  return withLine(options, { format: 'expire', line }, (edit) => {
    const { db, user, imports } = edit;
    const named = ids ?? expiredOptions(db, user, options.now).map(({ id }) => id);
    const found = named.map((id) => openTrade(edit, id, options.now));
    const open = [...new Map(found.map((trade) => [trade.id, trade])).values()];

    const bookings = book(edit, open, price);
    const filled = new Set(bookings.map(({ opening }) => opening.execution_id));
    for (const trade of open) if (!filled.has(trade.id)) expireRecord(edit, trade, price);
    imports.statements.write();
    applyRates(db, user);

    const expired = open.map((trade) => closedTrade(edit, trade, price));
    return {
      report: { expired },
      changed: expired.length,
      fills: bookings.length,
      trades: expired.length,
      changesFills: expired.length > 0,
    };
  });
}

/** Books expirations of trades made from fills, and makes those trades again. */
function book(
  { db, user, settings, importId }: Edit,
  open: readonly OpenOption[],
  price: number,
): Booking[] {
  const table = new FillTable(db, user.id);
  table.fixAccounts();
  const bookings = open.flatMap((trade) => bookingOf(trade, price, table) ?? []);
  const before = walkBefore(
    bookings.map(({ booked }) => booked),
    table,
  );

  for (const [place, { opening, booked }] of bookings.entries()) {
    if (!table.find(booked.id)) table.add(booked);
    table.state({
      fillId: booked.id,
      importId,
      place,
      fees: booked,
      account: table.statedAccount(opening.id),
      written: NOTHING_WRITTEN,
    });
  }

  makeTrades(db, before, table, settings);
  return bookings;
}

/** Undefined of a trade that isn't made from fills. */
function bookingOf(
  trade: OpenOption,
  price: number,
  table: FillTable,
): Booking | undefined {
  const [opening] = table.partsOf(trade.id);
  if (!opening) return undefined;

  // A symbol change, or another file, may have changed what the opening fill states.
  const { account, symbol, underlying, expiration, strike, option_type } = trade;
  const instrument = { account, symbol, underlying, expiration, strike, option_type };
  const booked = bookedExpiration(
    { ...opening, ...instrument },
    { executed_at: trade.at, price },
  );

  return { opening, booked };
}

/** @throws UserError if the trade is still open */
function closedTrade(
  edit: Edit,
  { id, open_quantity: quantity }: OpenOption,
  price: number,
): ExpireReport['expired'][number] {
  const { symbol, account, side, currency, net_pnl, closed_at } = find(edit, id) as Trade;
  if (closed_at !== null)
    return { id, symbol, account, side, currency, quantity, price, closed_at, net_pnl };

  throw new UserError(
    `trade ${id} stays open, since its executions were changed by hand; ` +
      'import its record with the closing execution instead',
  );
}

function find({ db, user }: Edit, id: string): Trade | undefined {
  const former = 'SELECT trade_id FROM former_trades WHERE user_id = @user AND id = @id';
  return db
    .prepare<[{ user: string; id: string }], Trade>(
      `SELECT * FROM trades WHERE user_id = @user AND id IN (@id, (${former}))`,
    )
    .get({ user: user.id, id });
}

/**
 * The trade, and the moment of its expiration.
 * @throws UserError unless it is an option that is open after it
 */
function openTrade(edit: Edit, id: string, now: number): OpenOption {
  const trade = find(edit, id);
  if (!trade) {
    throw new UserError(
      `there is no trade with the id "${id}"; list the open options: ` +
        'journal-api get trades status=open market=option',
    );
  }

  const { market, status, expiration, symbol } = trade;
  const stop = (why: string) => new UserError(`trade ${id} (${symbol}) ${why}`);
  if (market !== 'option')
    throw stop(`isn't an option (its market is ${market}); only options expire`);
  if (status !== 'open')
    throw stop('is closed already; to see how: journal-api get trades/ID');
  if (expiration === null)
    throw stop('has no expiration date; give the trade one with an import of its record');

  const at = expiresAt(expiration);
  if (now < at)
    throw stop(`expires on ${expiration} at 16:00 in New York; run this after that`);

  return { ...trade, at: toInstantText(at) };
}

/** Closes a trade that isn't made from fills. */
function expireRecord(edit: Edit, trade: OpenOption, price: number): void {
  const {
    id,
    side,
    executed_at,
    quantity,
    open_quantity,
    entry_price,
    multiplier,
    fees,
    at,
  } = trade;
  const { executions } = edit.whole(trades, id) as WholeRecord;
  const direction = side === 'long' ? 1 : -1;
  const gross_pnl = roundMoney(
    trade.gross_pnl + (price - entry_price) * open_quantity * multiplier * direction,
  );
  const midnight = toInstantText(Date.parse(at) + REST_OF_DAY);
  const times = executions
    .map((execution) => execution.executed_at)
    .filter((time) => time < midnight);
  const closed_at = [at, executed_at, ...times].sort().at(-1) as string;
  const close = {
    executed_at: closed_at,
    side: side === 'long' ? 'sell' : 'buy',
    quantity: open_quantity,
    price,
    fees: 0,
  };
  const values: Values = {
    id,
    side,
    executed_at,
    quantity,
    entry_price,
    fees,
    gross_pnl,
    status: 'closed',
    closed_at,
    open_quantity: 0,
    exit_price: asDecimal(
      entry_price + (direction * gross_pnl) / (quantity * multiplier),
    ),
  };

  edit.put(
    trades,
    executions.length > 0 ? { ...values, executions: [...executions, close] } : values,
  );
}
