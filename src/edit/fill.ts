/**
 * `fill`: records fills by hand, which no export has. Each call is one line in the list
 * of imports, whose fills join those of files in the same account.
 */
import { RowError, UserError } from '../errors.ts';
import { instrumentKey, withFreeIds } from '../import/fills/identity.ts';
import { type IncomingFill, incomingFills } from '../import/fills/incoming.ts';
import {
  isTwin,
  type MadeTrades,
  makeTrades,
  walkBefore,
} from '../import/fills/make-trades.ts';
import { GivenMultipliers } from '../import/fills/multiplier.ts';
import { refuseUnstorable } from '../import/fills/store-fills.ts';
import {
  accountsIn,
  type Notice,
  newAccounts,
  quoted,
} from '../import/report/notices.ts';
import type { NotesAgain } from '../import/report/report.ts';
import { readNotesAgain } from '../import/steps/notes-again.ts';
import type { TargetOptions } from '../import/write/target-journal.ts';
import { contractSize, futureOf } from '../journal/derivatives.ts';
import {
  future,
  type Instrument,
  mayOpenShort,
  occOption,
  option,
  optionIn,
  stock,
} from '../parse/instruments.ts';
import { AccountNames } from '../statements/account-settings.ts';
import { applyRates } from '../statements/exchange-rates.ts';
import type { SymbolHolder } from '../statements/fill-queries.ts';
import { BY_HAND, type Fill } from '../statements/fill-row.ts';
import { FillTable, NOTHING_WRITTEN } from '../statements/fills.ts';
import { fromInstantText, toInstantText } from '../time.ts';
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
    | 'symbol'
    | 'account'
    | 'market'
    | 'currency'
    | 'executed_at'
    | 'has_time'
    | 'price'
    | 'fees'
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
  const entry = {
    format: BY_HAND,
    resource: 'trades',
    account: options.account ?? null,
    line,
  };
  return withLine(options, entry, (edit) => {
    const accounts = accountsIn(edit.db, edit.user);
    const zone = options.timeZone ?? edit.user.timezone;
    edit.imports.setZone(edit.importId, zone);

    const table = new FillTable(edit.db, edit.user.id);
    const typed = new TypedFills(edit, table, options);
    const incoming = typed.read(zone);
    const before = walkBefore(
      incoming.map(({ fill }) => fill),
      table,
    );
    for (const [place, row] of incoming.entries())
      store(row, table, edit.importId, place);
    const made = makeTrades(edit.db, before, table, edit.settings);
    applyRates(edit.db, edit.user);

    const again = readNotesAgain(edit.db, edit.importId, edit.settings);
    const { added, changed, removed } = made.trades;
    const report = {
      ...again,
      fills: incoming.map(({ fill }) => recorded(fill, made, table)),
      trades: { added, changed, removed },
      notices: [
        ...newAccounts(accounts, accountsIn(edit.db, edit.user)),
        ...typed.notices,
      ],
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
  const {
    symbol,
    account,
    market,
    currency,
    executed_at,
    has_time,
    side,
    quantity,
    price,
    fees,
  } = fill;
  const twins = made.twins.find(({ byHand }) => byHand.fill.id === fill.id);
  const left = made.unmatched.find((close) => close.fill.id === fill.id);

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

const DAY_MS = 86_400_000;

/** Where a fill belongs, and the instrument as the journal has it there. */
interface Place {
  platform: string;
  account: string | null;
  known: Fill | undefined;
}

/** Typed lines as fills of the journal. */
class TypedFills {
  readonly #edit: Edit;
  readonly #table: FillTable;
  readonly #options: FillOptions;
  readonly #account: string | null;
  readonly #incoming: IncomingFill[] = [];
  readonly notices: Notice[] = [];

  constructor(edit: Edit, table: FillTable, options: FillOptions) {
    this.#edit = edit;
    this.#table = table;
    this.#options = options;
    const names = new AccountNames(edit.db, edit.user.id);
    this.#account = names.of(options.account ?? null);
  }

  /** @throws UserError that names the line */
  read(zone: string): IncomingFill[] {
    const { lines, now } = this.#options;
    const settings = { zone, userZone: this.#edit.user.timezone, now };
    for (const { text, line } of lines) {
      try {
        this.#add(fillOfLine(text, line, settings));
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        throw new UserError(
          lines.length === 1 ? error.message : `line ${line}: ${error.message}`,
        );
      }
    }

    return this.#incoming;
  }

  #add(typed: TypedFill): void {
    const symbol = optionNamed(typed.symbol)?.symbol ?? typed.symbol;
    const place = this.#placeOf(symbol);
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
      this.#table.find(id) !== undefined ||
      this.#incoming.some((other) => other.fill.id === id);
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
      mayShort: mayOpenShort(instrument),
      rate: null,
      stated: null,
    };
  }

  /** The account and platform of a symbol. @throws UserError if there are several */
  #placeOf(symbol: string): Place {
    const account = this.#account;
    const holders = this.#table.holdersOf(symbol);
    const isOfAccount = (holder: SymbolHolder) =>
      account === null || isSame(holder, account);
    const all = holders.filter(isOfAccount);
    const open = all.filter(({ isOpen }) => isOpen);
    const [holder, ...others] = open.length > 0 ? open : all;

    if (!holder) {
      this.#noteApart(symbol, holders);
      const platform = this.#table.platformIn(account, BY_HAND);
      return { platform, account, known: undefined };
    }
    if (others.length === 0 || account !== null)
      return { ...holder, known: holder.latest };

    const what = open.length > 0 ? `an open position in ${symbol}` : symbol;
    throw this.#severalHolders(what, [holder, ...others]);
  }

  #severalHolders(what: string, holders: readonly SymbolHolder[]): UserError {
    const names = holders.map(({ account, platform }) => account ?? `none (${platform})`);
    const unnamed = holders.find(({ account }) => account === null);
    const remedy = unnamed
      ? `; to give those without one a name: ${this.#naming(unnamed, 'NAME')}`
      : '';

    return new UserError(
      `accounts with ${what}: ${names.join(', ')}; pass --account${remedy}`,
    );
  }

  /** Fills of the symbol without an account are apart from one with an account. */
  #noteApart(symbol: string, holders: readonly SymbolHolder[]): void {
    const account = this.#options.account ?? null;
    const unnamed = holders.find((holder) => holder.account === null);
    if (!unnamed || account === null) return;

    const id = this.#table.firstImport(unnamed.latest.id);
    this.notices.push({
      code: 'apart',
      message: `fills of ${symbol} in import ${id} have no account, and this one doesn't join them; if they are of ${account}`,
      command: this.#naming(unnamed, account),
    });
  }

  /** The command that gives the rows of a holder's file an account. */
  #naming({ latest }: SymbolHolder, account: string): string {
    const id = this.#table.firstImport(latest.id);
    return `journal-api import change ${id} --account ${quoted(account)}`;
  }

  #instrumentOf({ symbol }: TypedFill, known: Fill | undefined): Instrument {
    const { market, currency } = this.#options;
    const isSame =
      known !== undefined &&
      (market ?? known.market) === known.market &&
      (currency ?? known.currency) === known.currency;
    if (isSame) return this.#withSize(instrumentOf(known), known.multiplier);

    const usual =
      optionNamed(symbol) ?? contractNamed(symbol, this.#edit.user.base_currency);
    if (market === 'option' || market === undefined || market === usual.market)
      return this.#withSize({
        ...usual,
        market: market ?? usual.market,
        ...inCurrency(currency),
      });

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
      throw new UserError(
        `unknown contract size for ${symbol}; pass --multiplier, such as 50`,
      );

    return { ...instrument, multiplier: known ?? multiplier ?? null };
  }

  /**
   * @throws RowError if the same fill was recorded by hand before, or is in a file
   * without an account
   */
  #refuseSecond(fill: Fill): void {
    const remedy = 'pass --again if it is another';
    const isAlike = (other: Fill) => isSameFill(fill, other);
    if (this.#incoming.some((other) => isAlike(other.fill)))
      throw new RowError(null, `this fill appears twice; ${remedy}`);

    const known = this.#table
      .alike(fill)
      .find((other) => other.format === BY_HAND && isAlike(other));
    if (known) {
      const id = this.#table.firstImport(known.id);
      throw new RowError(
        null,
        `import ${id} has this fill already${this.#apart(known)}; ${remedy}`,
      );
    }

    this.#refuseUnnamed(fill, remedy);
  }

  /** A fill with an account, which a file states without one. */
  #refuseUnnamed(fill: Fill, remedy: string): void {
    if (fill.account === null) return;

    const zone = () => this.#edit.user.timezone;
    const unnamed = { ...fill, account: null };
    const around = [-DAY_MS, 0, DAY_MS].map((apart) =>
      toInstantText(fromInstantText(fill.executed_at) + apart),
    );

    for (const holder of this.#table.holdersOf(fill.symbol).filter(isWithoutAccount)) {
      const { platform } = holder;
      const near = around.flatMap((executed_at) =>
        this.#table.ofDay({ ...unnamed, platform, executed_at }),
      );
      if (!near.some((other) => isWithoutAccount(other) && isTwin(unnamed, other, zone)))
        continue;

      const id = this.#table.firstImport(holder.latest.id);
      const naming = this.#naming(holder, this.#options.account ?? fill.account);
      throw new RowError(
        null,
        `import ${id} has this fill, without an account; omit --account, ` +
          `or name it: ${naming}; ${remedy}`,
      );
    }
  }

  /**
   * What keeps a fill by hand apart from the symbol's fills of files, and how to join
   * them.
   */
  #apart({ id, symbol, account, platform }: Fill): string {
    const others = this.#table
      .holdersOf(symbol)
      .filter((other) => other.platform !== platform || other.account !== account);
    const [other] = account === null ? others : others.filter(isWithoutAccount);
    if (!other) return '';

    const importId = this.#table.firstImport(id);
    const joining =
      account === null
        ? `journal-api import undo ${importId}, then record it again`
        : this.#naming(other, account);
    const otherId = this.#table.firstImport(other.latest.id);
    return `, apart from the fills of ${symbol} in import ${otherId}; to join them: ${joining}`;
  }
}

function isSame({ account }: SymbolHolder, name: string): boolean {
  return account?.toLowerCase() === name.toLowerCase();
}

function isWithoutAccount({ account }: Pick<Fill, 'account'>): boolean {
  return account === null;
}

function isSameFill(fill: Fill, other: Fill): boolean {
  return (
    other.executed_at === fill.executed_at &&
    other.has_time === fill.has_time &&
    instrumentKey(other) === instrumentKey(fill) &&
    other.side === fill.side &&
    other.quantity === fill.quantity &&
    other.price === fill.price
  );
}

function inCurrency(
  currency: string | undefined,
): Pick<Instrument, 'currency'> | undefined {
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
