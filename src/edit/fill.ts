/**
 * `fill`: records fills by hand, which no export has. Each call is one line in the list of imports,
 * whose fills join those of files in the same account.
 */
import { RowError, UserError } from '../errors.ts';
import { instrumentKey, withFreeIds } from '../import/fills/identity.ts';
import { type IncomingFill, incomingFills } from '../import/fills/incoming.ts';
import { type MadeTrades, makeTrades, walkBefore } from '../import/fills/make-trades.ts';
import { GivenMultipliers } from '../import/fills/multiplier.ts';
import { refuseUnstorable } from '../import/fills/store-fills.ts';
import {
  contractSize,
  future,
  futureOf,
  type Instrument,
  occOption,
  option,
  optionIn,
  stock,
} from '../import/parse/instruments.ts';
import { accountsIn, type Notice, newAccounts } from '../import/report/notices.ts';
import type { NotesAgain } from '../import/report/report.ts';
import { readNotesAgain } from '../import/steps/notes-again.ts';
import type { TargetOptions } from '../import/write/target-journal.ts';
import { AccountNames } from '../statements/accounts.ts';
import { applyRates } from '../statements/exchange-rates.ts';
import { BY_HAND, type Fill } from '../statements/fill-row.ts';
import { FillTable, NOTHING_WRITTEN, type SymbolHolder } from '../statements/fills.ts';
import { type Edit, type LineReport, withLine } from './edit.ts';
import { fillOfLine, type TypedFill } from './fill/fill-line.ts';

export interface FillOptions extends TargetOptions {
  /** Lines of text, each with its number. */
  lines: readonly { text: string; line: number }[];
  account?: string | undefined;
  /** Of each fill; undefined: unknown. */
  fees?: number | undefined;
  market?: Fill['market'] | undefined;
  multiplier?: number | undefined;
  currency?: string | undefined;
  /** The zone of times without an offset; default: the user's. */
  timeZone?: string | undefined;
  /** Whether a fill that was recorded by hand before is another. */
  again?: boolean | undefined;
}

/** A fill that was recorded. */
interface RecordedFill
  extends Pick<
    Fill,
    'symbol' | 'account' | 'market' | 'currency' | 'executed_at' | 'has_time' | 'price' | 'fees'
  > {
  side: 'buy' | 'sell';
  quantity: number;
  /** The import with a file that states it, too: it counts once. Null: none. */
  same_as: number | null;
  /** The part of the quantity that closes what nothing has opened. */
  unmatched: number;
}

export interface FillReport extends LineReport, NotesAgain {
  fills: RecordedFill[];
  trades: Pick<MadeTrades['trades'], 'added' | 'changed' | 'removed'>;
  notices: Notice[];
}

/** @throws UserError that names the line; then none is recorded */
export function recordFills(options: FillOptions, line: string): FillReport {
  const entry = { format: BY_HAND, resource: 'trades', account: options.account ?? null, line };
  return withLine(options, entry, (own) => {
    const accounts = accountsIn(own.db, own.user);
    const zone = options.timeZone ?? own.user.timezone;
    own.imports.setZone(own.importId, zone);

    const table = new FillTable(own.db, own.user.id);
    const incoming = new TypedFills(own, table, options).read(zone);
    const before = walkBefore(
      incoming.map(({ fill }) => fill),
      table,
    );
    for (const [place, row] of incoming.entries()) store(row, table, own.importId, place);
    const made = makeTrades(own.db, before, table, own.settings);
    applyRates(own.db, own.user);

    const again = readNotesAgain(own.db, own.importId, own.settings);
    const { added, changed, removed } = made.trades;
    const report = {
      ...again,
      fills: incoming.map(({ fill }) => recorded(fill, made, table)),
      trades: { added, changed, removed },
      notices: newAccounts(accounts, accountsIn(own.db, own.user)),
    };
    const count = incoming.length;
    const trades = added + changed + removed;

    return { report, changed: count, fills: count, trades, changesFills: true };
  });
}

function store(
  { fill, account, clock }: IncomingFill,
  table: FillTable,
  importId: number,
  place: number,
): void {
  table.add(fill);
  const written = { ...NOTHING_WRITTEN, clock };
  table.state({ fillId: fill.id, importId, place, fees: fill, account, written });
}

function recorded(fill: Fill, made: MadeTrades, table: FillTable): RecordedFill {
  const { symbol, account, market, currency, executed_at, has_time, side, quantity, price, fees } =
    fill;
  const twins = made.twins.find(({ byHand }) => byHand.fill.id === fill.id);
  const left = made.unmatched.find((own) => own.fill.id === fill.id);

  return {
    symbol,
    account,
    market,
    currency,
    executed_at,
    has_time,
    side: side as 'buy' | 'sell',
    quantity: quantity as number,
    price,
    fees,
    same_as: twins ? (table.firstImport(twins.stated.fill.id) ?? null) : null,
    unmatched: left ? (left.quantity ?? (quantity as number)) : 0,
  };
}

/** Where a fill belongs, and the instrument as the journal has it there. */
interface Place {
  platform: string;
  account: string | null;
  known: Fill | undefined;
}

/** Typed lines as fills of the journal. */
class TypedFills {
  readonly #own: Edit;
  readonly #table: FillTable;
  readonly #options: FillOptions;
  readonly #account: string | null;
  readonly #incoming: IncomingFill[] = [];

  constructor(own: Edit, table: FillTable, options: FillOptions) {
    this.#own = own;
    this.#table = table;
    this.#options = options;
    const names = new AccountNames(own.db, own.user.id);
    this.#account = names.of(options.account ?? null);
  }

  /** @throws UserError that names the line */
  read(zone: string): IncomingFill[] {
    const { lines, now } = this.#options;
    const settings = { zone, userZone: this.#own.user.timezone, now };
    for (const { text, line } of lines) {
      try {
        this.#add(fillOfLine(text, line, settings));
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        throw new UserError(lines.length === 1 ? error.message : `line ${line}: ${error.message}`);
      }
    }

    return this.#incoming;
  }

  #add(typed: TypedFill): void {
    const place = this.#placeOf(typed.symbol);
    const [row] = incomingFills(
      [this.#asStated(typed, place)],
      {
        format: { name: BY_HAND },
        account: undefined,
        multipliers: new GivenMultipliers(),
        platformIn: () => place.platform,
      },
      this.#table,
    );
    const { fill, ...rest } = row as IncomingFill;
    // As typed, since a rename may be undone.
    const account = this.#options.account ?? rest.account;
    refuseUnstorable(fill);
    if (!this.#options.again) this.#refuseSecond(fill);
    const isTaken = ({ id }: Fill) =>
      this.#table.find(id) !== undefined || this.#incoming.some((other) => other.fill.id === id);
    this.#incoming.push({ ...rest, account, fill: withFreeIds(fill, isTaken) });
  }

  #asStated(typed: TypedFill, { account, known }: Place) {
    const { line, executedAt, clock, hasTime, side, quantity, price, effect } = typed;
    const { fees } = this.#options;
    const instrument = this.#instrumentOf(typed, known);

    return {
      line,
      executionId: null,
      account,
      instrument,
      executedAt,
      clock,
      hasTime,
      kind: 'trade' as const,
      side,
      quantity,
      price,
      fees: fees ?? 0,
      feesStated: fees !== undefined,
      feeQuantity: 0,
      otherFee: null,
      effect,
      mayShort: ['future', 'forex', 'cfd'].includes(instrument.market),
      rate: null,
      stated: null,
    };
  }

  /** The account and platform of a symbol. @throws UserError if there are several */
  #placeOf(typed: string): Place {
    const symbol = optionNamed(typed)?.symbol ?? typed;
    const account = this.#account;
    const isOfAccount = (own: SymbolHolder) =>
      account === null || own.account?.toLowerCase() === account.toLowerCase();
    const all = this.#table.holdersOf(symbol).filter(isOfAccount);
    const open = all.filter(({ isOpen }) => isOpen);
    const [holder, ...others] = open.length > 0 ? open : all;

    if (!holder)
      return { platform: this.#table.platformIn(account, BY_HAND), account, known: undefined };
    if (others.length === 0 || account !== null) return { ...holder, known: holder.latest };

    const names = [holder, ...others].map((own) => own.account ?? `none (${own.platform})`);
    const what = open.length > 0 ? `an open position in ${symbol}` : symbol;
    throw new UserError(`accounts with ${what}: ${names.join(', ')}; pass --account`);
  }

  #instrumentOf({ symbol }: TypedFill, known: Fill | undefined): Instrument {
    const { market, currency } = this.#options;
    const isSame =
      known !== undefined &&
      (market ?? known.market) === known.market &&
      (currency ?? known.currency) === known.currency;
    if (isSame) return this.#withSize(instrumentOf(known), known.multiplier);

    const usual = optionNamed(symbol) ?? contractNamed(symbol, this.#own.user.base_currency);
    if (market === 'option' || market === undefined || market === usual.market)
      return this.#withSize({ ...usual, market: market ?? usual.market, ...inCurrency(currency) });

    const plain = { ...stock(symbol, usual.currency), market, ...inCurrency(currency) };
    return this.#withSize(plain);
  }

  /** @throws UserError if the contract size is unknown, or the journal has another */
  #withSize(instrument: Instrument, known?: number): Instrument {
    const { multiplier } = this.#options;
    const { symbol, market } = instrument;
    if (known !== undefined && multiplier !== undefined && multiplier !== known)
      throw new UserError(
        `the journal has ${symbol} with a contract size of ${known}; omit --multiplier`,
      );

    const isUnknown =
      market === 'future' && contractSize(futureOf(symbol)?.root ?? '') === undefined;
    if (known === undefined && multiplier === undefined && isUnknown)
      throw new UserError(`unknown contract size for ${symbol}; pass --multiplier, such as 50`);

    return { ...instrument, multiplier: known ?? multiplier ?? null };
  }

  /** @throws UserError if the same fill was recorded by hand before */
  #refuseSecond(fill: Fill): void {
    const isSame = (other: Fill) =>
      other.format === BY_HAND &&
      other.executed_at === fill.executed_at &&
      other.has_time === fill.has_time &&
      instrumentKey(other) === instrumentKey(fill) &&
      other.side === fill.side &&
      other.quantity === fill.quantity &&
      other.price === fill.price;

    const remedy = 'pass --again if it is another';
    if (this.#incoming.some((own) => isSame(own.fill)))
      throw new RowError(null, `this fill appears twice; ${remedy}`);

    const known = this.#table.alike(fill).find(isSame);
    if (!known) return;

    const importId = this.#table.firstImport(known.id);
    throw new RowError(null, `import ${importId} has this fill already; ${remedy}`);
  }
}

function inCurrency(currency: string | undefined): Pick<Instrument, 'currency'> | undefined {
  return currency === undefined ? undefined : { currency };
}

const OPTION =
  /^(?<underlying>[A-Za-z0-9.]{1,10}) (?<expiration>\d{4}-\d\d-\d\d) (?<type>[CP])(?<strike>\d{1,7}(?:\.\d{1,4})?)$/i;

/** An option by its OCC symbol, or by the journal's own. */
function optionNamed(symbol: string): Instrument | undefined {
  const contract = occOption(symbol.toUpperCase());
  if (contract) return option(contract);
  return optionIn({ text: symbol.toUpperCase(), column: 'symbol', line: 1 }, [OPTION]);
}

/** A future by its symbol with month and year, else a share. */
function contractNamed(symbol: string, currency: string): Instrument {
  const { month = null } = futureOf(symbol) ?? {};
  return month === null ? stock(symbol, currency) : future(symbol);
}

function instrumentOf(fill: Fill): Instrument {
  const { symbol, market, underlying, expiration, strike, option_type, currency } = fill;
  return {
    symbol,
    market,
    underlying,
    expiration,
    strike,
    optionType: option_type,
    multiplier: null,
    currency,
  };
}
