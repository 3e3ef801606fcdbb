/** Books expirations that no file states: as fills of their options, or on records of trades without fills. */
import { UserError } from '../../errors.ts';
import { applyRates } from '../../import-tables/exchange-rates.ts';
import { FillTable } from '../../import-tables/fills.ts';
import { expiresAt, lastExpired, REST_OF_DAY } from '../../journal/expirations.ts';
import { trades } from '../../journal/resources/trades.ts';
import type { Values, WholeRecord, WriteSettings } from '../../journal-write/record.ts';
import { RecordWriter } from '../../journal-write/record-writer.ts';
import { asDecimal, roundMoney } from '../../money.ts';
import { fromInstantText, toInstantText } from '../../time.ts';
import { bookedExpiration } from '../fills/identity.ts';
import { makeTrades, walkBefore } from '../fills/make-trades.ts';
import type { TargetOptions } from '../write/target-journal.ts';
import { type Line, type LineReport, withLine } from './line.ts';

export interface ExpireReport extends LineReport {
  expired: ExpiredTrade[];
}

/** A trade that is closed now. */
interface ExpiredTrade {
  id: string;
  symbol: string;
  account: string | null;
  side: 'long' | 'short';
  /** Units that were open. */
  quantity: number;
  price: number;
  closed_at: string;
  currency: string;
  net_pnl: number;
}

interface OpenTrade {
  id: string;
  symbol: string;
  market: string;
  status: string;
  open_quantity: number;
  expiration: string | null;
}

/** @param ids of trades; undefined: all options that are open after their expiration @throws UserError if one can't expire */
export function expire(
  options: TargetOptions,
  ids: readonly string[] | undefined,
  price: number,
  line: string,
): ExpireReport {
  return withLine(options, { format: 'expire', line }, (own) => {
    const open = selected(own, ids, options.now);
    const table = new FillTable(own.db, own.user.id);
    const settings: WriteSettings = { user: own.user, timeZone: undefined, account: undefined, now: own.now };
    table.fixAccounts();
    const fills = open.flatMap(({ id, expiration }) => {
      const [opening] = table.partsOf(id);
      if (!opening) return [];
      const executed_at = toInstantText(expiresAt(expiration as string));
      return [{ opening, booked: bookedExpiration({ ...opening, ...instrumentOf(own, id) }, { executed_at, price }) }];
    });
    const before = walkBefore(
      fills.map(({ booked }) => booked),
      table,
    );
    for (const [place, { opening, booked }] of fills.entries()) {
      if (!table.find(booked.id)) table.add(booked);
      table.state(booked.id, own.importId, place, booked, table.statedAccount(opening.id));
    }
    makeTrades(own.db, before, table, settings);
    const filled = new Set(fills.map(({ opening }) => opening.execution_id));
    for (const trade of open) if (!filled.has(trade.id)) expireRecord(own, settings, trade, price);
    own.imports.writeAdded(own.importId);
    applyRates(own.db, own.user);
    const expired = open.map((trade) => closed(own, trade, price));
    const counts = { changed: expired.length, fills: fills.length, trades: expired.length };
    return { report: { expired }, ...counts, changesFills: expired.length > 0 };
  });
}

const OPEN = 'SELECT id, symbol, market, status, open_quantity, expiration';

function selected({ db, user }: Line, ids: readonly string[] | undefined, now: number): OpenTrade[] {
  if (!ids) {
    return db
      .prepare(
        `${OPEN} FROM trades WHERE user_id = ? AND status = 'open' AND market = 'option' AND expiration <= ? ORDER BY expiration, symbol, id`,
      )
      .all(user.id, lastExpired(now)) as OpenTrade[];
  }
  const find = db.prepare(
    `${OPEN} FROM trades WHERE user_id = @user AND id IN (@id, (SELECT trade_id FROM former_trades WHERE user_id = @user AND id = @id))`,
  );
  const found = ids.map((id) => {
    const trade = find.get({ user: user.id, id }) as OpenTrade | undefined;
    if (!trade) {
      throw new UserError(
        `there is no trade with the id "${id}"; list the open options: journal-api get trades status=open market=option`,
      );
    }
    refuseOthers(trade, now);
    return trade;
  });
  return [...new Map(found.map((trade) => [trade.id, trade])).values()];
}

/** @throws UserError unless it is an option that is open after its expiration */
function refuseOthers({ id, symbol, market, status, expiration }: OpenTrade, now: number): void {
  const stop = (why: string) => new UserError(`trade ${id} (${symbol}) ${why}`);
  if (market !== 'option') throw stop(`isn't an option (its market is ${market}); only options expire`);
  if (status !== 'open') throw stop('is closed already; to see how: journal-api get trades/ID');
  if (expiration === null) throw stop('has no expiration date; give the trade one with an import of its record');
  if (now < expiresAt(expiration)) {
    throw stop(`expires on ${expiration} at 16:00 in New York; run this after that`);
  }
}

/** The trade's present symbol and account: a symbol change or another file may have changed its opening fill's. */
function instrumentOf({ db, user }: Line, id: string) {
  return db
    .prepare(
      'SELECT account, symbol, currency, underlying, expiration, strike, option_type FROM trades WHERE user_id = ? AND id = ?',
    )
    .get(user.id, id) as Pick<ReturnType<typeof bookedExpiration>, 'account' | 'symbol' | 'currency' | 'expiration'>;
}

/** Closes a trade that isn't made from fills. */
function expireRecord(own: Line, settings: WriteSettings, { id, expiration }: OpenTrade, price: number): void {
  const writer = new RecordWriter(own.db, { ...trades, table: 'trades' }, settings, {
    onChange: (stored, whole) => void own.imports.addRecord(own.importId, trades.path, stored, whole),
  });
  const { record, executions } = writer.find(id) as WholeRecord;
  const { side, executed_at, quantity, open_quantity, entry_price, multiplier, gross_pnl, fees } = record as Values & {
    [Name in 'quantity' | 'open_quantity' | 'entry_price' | 'multiplier' | 'gross_pnl' | 'fees']: number;
  };
  const direction = side === 'long' ? 1 : -1;
  const gross = roundMoney(gross_pnl + (price - entry_price) * open_quantity * multiplier * direction);
  const at = expiresAt(expiration as string);
  const times = [...executions.map((execution) => execution.executed_at), executed_at as string];
  const closed_at = times.reduce(
    (last, time) => (time > last && fromInstantText(time) < at + REST_OF_DAY ? time : last),
    toInstantText(at),
  );
  const close = {
    executed_at: closed_at,
    side: direction > 0 ? 'sell' : 'buy',
    quantity: open_quantity,
    price,
    fees: 0,
  };
  writer.put({
    ...{ id, side, executed_at, quantity, entry_price, fees, status: 'closed', closed_at, open_quantity: 0 },
    ...{ exit_price: asDecimal(entry_price + (direction * gross) / (quantity * multiplier)), gross_pnl: gross },
    ...(executions.length > 0 && { executions: [...executions, close] }),
  });
}

/** @throws UserError if the trade is still open */
function closed({ db, user }: Line, { id, open_quantity }: OpenTrade, price: number): ExpiredTrade {
  const trade = db
    .prepare(
      'SELECT id, symbol, account, side, closed_at, currency, net_pnl FROM trades WHERE user_id = ? AND id = ? AND closed_at IS NOT NULL',
    )
    .get(user.id, id) as Omit<ExpiredTrade, 'quantity' | 'price'> | undefined;
  if (trade) return { ...trade, quantity: open_quantity, price };
  throw new UserError(
    `trade ${id} stays open, since its executions were changed by hand; import its record with the closing execution instead`,
  );
}
