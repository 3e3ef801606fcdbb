/**
 * The ids of fills: the platform's own, else a hash of what the first file wrote. The
 * journal's fills keep the ids that they have. And which symbols are one instrument.
 */
import { hash } from 'node:crypto';
import { quote, RowError } from '../../errors.ts';
import { KRAKEN_FORMATS, pairKey, pairName } from '../../journal/kraken-pairs.ts';
import { BY_HAND, type Fill, PART, type PlacedFill } from '../../statements/fill-row.ts';
import type { FillTable } from '../../statements/fills.ts';
import type { FileFill } from './reading.ts';

/**
 * An identity of at most 100 letters, digits and . _ : ~ -, so that a format's name fits
 * before it in an id.
 */
export interface Identity {
  execution: string;
  /** The column "part". */
  part: string | null;
  /** Both, and the account if the execution lacks it: unique among all stated fills. */
  id: string;
  /**
   * The platform's id within account and instrument, with that of the other end of a
   * pair; null if none.
   */
  platformId: string | null;
  account: string | null;
}

/** What an identity depends on besides the fill. */
interface Origin {
  /** For fills without an account. */
  account: string | null;
  /** The present name of a file's account. */
  present?: (account: string | null) => string | null;
  /**
   * Whether execution ids are unique on the platform; else only within account,
   * instrument and day.
   */
  hasUniqueIds?: boolean;
}

/**
 * @param fills of one file, in its order
 * @returns each fill once: an equal row with the same execution id is the same fill
 * @throws RowError if one execution id has two different fills
 */
export function* identified(
  fills: readonly FileFill[],
  origin: Origin,
): Generator<[stated: FileFill, identity: Identity]> {
  const ids = new FileIds(origin);
  for (const fill of fills) {
    const identity = ids.of(fill);
    if (identity) yield [fill, identity];
  }
}

/** The ids of one file's fills. */
class FileIds {
  readonly #origin: Origin;
  /** Fills by their ids, if the platform gives them. */
  readonly #seen = new Map<string, FileFill>();
  /** Numbers of equal rows. */
  readonly #equals = new Map<string, number>();
  /** The account that came first keeps an id that is unique on the platform. */
  readonly #holders = new Map<string, string>();

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** @returns undefined for a fill that came before @throws RowError as identified() */
  of(fill: FileFill): Identity | undefined {
    const { account: ofOthers, present = (name: string | null) => name } = this.#origin;
    const account = present(fill.account ?? ofOthers);
    if (fill.executionId === null) return this.#ofRow(fill, account);

    const identity = this.#ofPlatform(fill, fill.executionId, account);
    const earlier = this.#seen.get(identity.id);
    if (earlier) {
      refuseOther(earlier, fill);
      return undefined;
    }

    this.#seen.set(identity.id, fill);
    return identity;
  }

  #ofRow(fill: FileFill, account: string | null): Identity {
    const suffix = suffixOf(fill);
    const stated = [...accountSegment(account), hashOf(fill)].join(':');
    const ordinal = (this.#equals.get(stated + suffix) ?? 0) + 1;
    this.#equals.set(stated + suffix, ordinal);

    const number = ordinal === 1 ? '' : `.${ordinal}`;
    const id = `${plain(fill.instrument.symbol, 40)}:${stated}${number}${suffix}`;
    const part = markOf(fill);

    return { execution: id, part, id, platformId: null, account };
  }

  #ofPlatform(fill: FileFill, executionId: string, account: string | null): Identity {
    const { hasUniqueIds = false } = this.#origin;
    const ofPlatform = hasUniqueIds
      ? uniqueId(fill, executionId)
      : idWithinDay(fill, executionId, account);
    const isNamed = hasUniqueIds && account !== null;
    const isHolder = this.#isHolder(ofPlatform, account ?? '');
    const isSecond = isNamed && !isHolder;
    const execution =
      ofPlatform + (isSecond ? `~~${accountDigest(account)}` : '') + suffixOf(fill);

    const pair = fill.pairedWith === undefined ? null : plain(fill.pairedWith, 40);
    const part = markOf(fill) ?? pair;
    const whole = part === null || fill.isDated ? execution : `${execution}~${part}`;
    const id = isNamed && !isSecond ? `${whole}@${accountDigest(account)}` : whole;

    return { execution, part, id, platformId: platformIdOf(id), account };
  }

  /** Whether an account is the first with an id. @param account '' for none */
  #isHolder(id: string, account: string): boolean {
    const name = account.toLowerCase();
    const holder = this.#holders.get(id) ?? name;
    this.#holders.set(id, holder);
    return holder === name;
  }
}

function markOf({ cancels, isDated }: FileFill): string | null {
  if (cancels) return PART.cancels;
  return isDated ? PART.dated : null;
}

/** A platform may give a cancellation the id of its fill. */
function suffixOf({ cancels }: FileFill): string {
  return cancels ? '~cancelled' : '';
}

function uniqueId(fill: FileFill, id: string): string {
  return `${plain(fill.instrument.symbol, 64)}:${plain(id, 32)}`;
}

function idWithinDay(fill: FileFill, id: string, account: string | null): string {
  const day = (fill.clock || fill.executedAt).slice(0, 10);
  return [
    plain(fill.instrument.symbol, 40),
    day,
    ...accountSegment(account),
    plain(id, 32),
  ].join(':');
}

const HASH = /^[0-9a-f]{24}(?:\.\d+)?(?:~cancelled)?$/;

/**
 * The platform's id in the id of a fill, with that of the other end of a pair; null if
 * its file has none.
 */
export function platformIdOf(fillId: string): string | null {
  const last = fillId
    .slice(fillId.lastIndexOf(':') + 1)
    .replace(/(?:@|~~)[0-9a-f]{8}/, '');
  return HASH.test(last) ? null : last;
}

/**
 * The same fill with ids that no other has: the account's, then numbered.
 * @param isTaken whether a fill has one of them
 */
export function withFreeIds(fill: Fill, isTaken: (fill: Fill) => boolean): Fill {
  if (!isTaken(fill)) return fill;

  const { account, execution_id, id } = fill;
  const ofAccount = account === null ? '' : accountDigest(account);
  const digest = execution_id.includes(ofAccount) ? '' : `~~${ofAccount}`;
  const isWhole = id === execution_id;

  for (let number = 1; ; number++) {
    const ending = number === 1 ? digest : `${digest}.${number}`;
    if (ending === '') continue;

    const freed = {
      ...fill,
      execution_id: execution_id + ending,
      id: isWhole ? id + ending : id.replace(execution_id, execution_id + ending),
    };
    if (!isTaken(freed)) return freed;
  }
}

/** A digest of the account: ids reach readers who shouldn't see its name. */
function accountSegment(account: string | null): string[] {
  return account === null ? [] : [accountDigest(account)];
}

function accountDigest(account: string): string {
  return digest(account.toLowerCase(), 8);
}

/**
 * The id that an execution would have if its file named no account.
 * @param account of the execution
 */
export function withoutAccount(executionId: string, account: string | null): string {
  return account === null
    ? executionId
    : executionId.replace(`:${accountDigest(account)}:`, ':');
}

/**
 * The fill in another account, with the ids that a file gives it there.
 * @param hasUniqueIds whether its platform's ids are unique: they are then without an
 * account
 */
export function inAccount(
  fill: Fill,
  account: string | null,
  hasUniqueIds: boolean,
): Fill {
  const after = account === null ? undefined : accountDigest(account);
  if (fill.account !== null) {
    const before = accountDigest(fill.account);
    return {
      ...fill,
      account,
      id: withOtherDigest(fill.id, before, after),
      execution_id: withOtherDigest(fill.execution_id, before, after),
    };
  }

  // An adopted fill's id has no place for an account.
  if (after === undefined || fill.part === PART.adopted) return { ...fill, account };

  const isOfPlatform = (id: string) => hasUniqueIds && !isHashed(id);
  const isWhole = fill.id === fill.execution_id;

  return {
    ...fill,
    account,
    id: isOfPlatform(fill.id) ? `${fill.id}@${after}` : withDigest(fill.id, after),
    execution_id:
      isOfPlatform(fill.execution_id) || (hasUniqueIds && isWhole)
        ? fill.execution_id
        : withDigest(fill.execution_id, after),
  };
}

/** Whether an id ends with a hash of its row. */
function isHashed(id: string): boolean {
  return /^[0-9a-f]{24}(?![0-9a-z])/.test(id.slice(id.lastIndexOf(':') + 1));
}

/** The id with the digest of another account in place of the former one's. */
function withOtherDigest(id: string, before: string, after: string | undefined): string {
  const ending = `@${before}`;
  if (!id.endsWith(ending))
    return id.replace(`:${before}:`, after === undefined ? ':' : `:${after}:`);

  const unnamed = id.slice(0, -ending.length);
  return after === undefined ? unnamed : `${unnamed}@${after}`;
}

/** The id with the digest of an account before its last segment. */
function withDigest(id: string, account: string): string {
  const last = id.lastIndexOf(':');
  return `${id.slice(0, last)}:${account}${id.slice(last)}`;
}

// Expirations that the user books.

/**
 * The id of an option's booked expiration, by any of its fills: there is one for each
 * account.
 */
export function bookedId({
  symbol,
  expiration,
  account,
  platform,
  currency,
}: Fill): string {
  return [
    'expire',
    plain(symbol, 40),
    expiration,
    ...accountSegment(account),
    `${platform}.${currency}`,
  ].join(':');
}

/** The booked expiration of the option of a fill. */
export function bookedExpiration(
  of: Fill,
  { executed_at, price }: Pick<Fill, 'executed_at' | 'price'>,
): Fill {
  const id = bookedId(of);
  return {
    ...of,
    id,
    execution_id: id,
    part: PART.booked,
    format: 'expire',
    executed_at,
    has_time: true,
    kind: 'expiration',
    side: null,
    quantity: null,
    price,
    fees: 0,
    fee_quantity: 0,
    fees_stated: true,
    effect: 'close',
    may_short: false,
    rate_base: null,
    rate: null,
    former_symbol: null,
    order_id: null,
  };
}

/** A fill's unique key that doesn't depend on whether its file names the account. */
export function keyWithoutAccount(fill: Fill): string {
  const { execution_id, part, account, executed_at, kind, side, quantity, price } = fill;
  const id = withoutAccount(execution_id, account);
  return JSON.stringify([id, part, executed_at, kind, side, quantity, price]);
}

const PLAIN = /^[A-Za-z0-9._~-]*$/;

/**
 * Text reduced to letters, digits and . _ ~ -; if that loses anything, or the text is too
 * long, a hash is appended.
 */
function plain(text: string, longest: number): string {
  if (text.length <= longest && PLAIN.test(text)) return text;
  const cleaned = text.replace(/[^A-Za-z0-9._~-]/g, '-');
  // Spaces and slashes don't distinguish symbols.
  if (cleaned.length <= longest && text.replace(/[ /]/g, '-') === cleaned) return cleaned;
  return `${cleaned.slice(0, longest - 9)}.${digest(text, 8)}`;
}

/** Of what the file wrote, but the account, which precedes it in the id. */
function hashOf({
  instrument,
  executedAt,
  clock,
  hasTime,
  kind,
  side,
  quantity,
  price,
}: FileFill): string {
  // Milliseconds after a day order rows of it.
  const order = hasTime === false ? executedAt.slice(19, 23).replace('.000', '') : '';
  const written = [
    instrument.symbol,
    (clock || executedAt) + order,
    kind,
    side,
    quantity,
    price,
  ];
  return digest(JSON.stringify(written), 24);
}

function digest(text: string, length: number): string {
  return hash('sha256', text).slice(0, length);
}

const COMPARED = ['executedAt', 'kind', 'side', 'quantity', 'price'] as const;

function refuseOther(earlier: FileFill, fill: FileFill): void {
  const differing = COMPARED.find((name) => earlier[name] !== fill[name]);
  if (differing === undefined) return;
  throw new RowError(
    differing,
    `execution ${fill.executionId} of ${fill.instrument.symbol} has ${quote(earlier[differing])} on line ${earlier.line} but ${quote(fill[differing])} here; keep the right one`,
    fill.line,
  );
}

// The key of fills that can belong to one position.

/**
 * Equal for fills of one account and instrument; another market or currency is another
 * instrument.
 */
export function instrumentKey(fill: Fill, symbol = fill.symbol): string {
  return JSON.stringify([fill.account, symbol, fill.market, fill.currency]).toLowerCase();
}

// Accounts.

type InAccount = Pick<Fill, 'account'>;

/** Whether two fills may be in the same account: an unnamed account matches any. */
export function mayShareAccount(a: InAccount, b: InAccount): boolean {
  return (
    a.account === null ||
    b.account === null ||
    a.account.toLowerCase() === b.account.toLowerCase()
  );
}

// Order of ids, if no file decides.

/** Numbers at the end of ids rise with time, so a longer id is later. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || compareText(a, b);
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

// Symbols that the files of a platform spell in several ways: each spelling is the same
// instrument.

/** Formats of fills that may have a symbol in another spelling. */
export const SPELLED_FORMATS: readonly string[] = [...KRAKEN_FORMATS, BY_HAND];

/** Whether the files of a format spell symbols in several ways. */
function hasSpellings(format: string): boolean {
  return KRAKEN_FORMATS.includes(format);
}

/** The spellings of a format's symbols in the journal. */
export class Spellings {
  readonly #table: Pick<FillTable, 'symbolsOf'>;
  readonly #areSeveral: boolean;
  readonly #keys = new Map<string, string>();
  /** By platform, then by key. */
  readonly #stored = new Map<string, Map<string, string[]>>();

  constructor(table: Pick<FillTable, 'symbolsOf'>, format: string) {
    this.#table = table;
    this.#areSeveral = hasSpellings(format);
  }

  /** Equal for all spellings of a symbol. */
  keyOf(symbol: string): string {
    let key = this.#keys.get(symbol);
    if (key === undefined) {
      key = this.#areSeveral ? pairKey(symbol) : symbol.toLowerCase();
      this.#keys.set(symbol, key);
    }
    return key;
  }

  /** A symbol, and its other spellings on a platform. */
  of(platform: string, symbol: string): readonly string[] {
    if (!this.#areSeveral) return [symbol];

    const stored = this.#storedOn(platform).get(this.keyOf(symbol)) ?? [];
    const name = symbol.toLowerCase();
    return [symbol, ...stored.filter((other) => other.toLowerCase() !== name)];
  }

  #storedOn(platform: string): Map<string, string[]> {
    const known = this.#stored.get(platform);
    if (known) return known;

    const symbols = this.#table.symbolsOf(platform);
    const byKey = Map.groupBy(symbols, (symbol) => this.keyOf(symbol));
    this.#stored.set(platform, byKey);
    return byKey;
  }
}

/** The fills of an instrument under one symbol, whatever their files have. */
export function inOneSpelling(placed: readonly PlacedFill[]): readonly PlacedFill[] {
  const symbol = placed[0]?.fill.symbol;
  if (placed.every(({ fill }) => fill.symbol === symbol)) return placed;

  const names = presentNames(placed.map(({ fill }) => fill));
  if (names.size === 0) return placed;

  return placed.map((row) => {
    const { fill } = row;
    return isSpelled(fill) ? renamed(row, names.get(fill.symbol.toLowerCase())) : row;
  });
}

/**
 * The fills of an instrument under the symbols of the trades that were made of them: an
 * earlier version made trades of each spelling.
 * @param tradedSymbols by id of the fill, if it has a trade
 */
export function underTradedSymbols(
  placed: readonly PlacedFill[],
  tradedSymbols: () => ReadonlyMap<string, string>,
): readonly PlacedFill[] {
  const present = inOneSpelling(placed);
  if (present === placed) return placed;

  const byFill = tradedSymbols();
  const bySymbol = new Map(
    placed.flatMap(({ fill }) => {
      const symbol = byFill.get(fill.id);
      return symbol === undefined ? [] : [[nameIn(fill), symbol] as const];
    }),
  );

  return placed.map((row, place) => {
    const { fill } = row;
    if (!isSpelled(fill)) return row;

    const symbol = byFill.get(fill.id) ?? bySymbol.get(nameIn(fill));
    return renamed(row, symbol ?? present[place]?.fill.symbol);
  });
}

function nameIn({ account, symbol }: Fill): string {
  return JSON.stringify([account, symbol]).toLowerCase();
}

function renamed(placed: PlacedFill, symbol = placed.fill.symbol): PlacedFill {
  const { fill } = placed;
  return symbol === fill.symbol ? placed : { ...placed, fill: { ...fill, symbol } };
}

/** Whether a fill may have a symbol in another spelling. */
export function isSpelled({ format }: Pick<Fill, 'format'>): boolean {
  return SPELLED_FORMATS.includes(format);
}

/** Symbols of one instrument each, which are several. */
export function sameSymbols(symbols: Iterable<string>): string[][] {
  // The journal doesn't distinguish capitals.
  const distinct = new Map<string, string>();
  for (const symbol of symbols) {
    const name = symbol.toLowerCase();
    if (!distinct.has(name)) distinct.set(name, symbol);
  }

  const byKey = Map.groupBy(distinct.values(), (symbol) => pairKey(symbol));
  return [...byKey.values()].filter(({ length }) => length > 1);
}

/**
 * The present name of each symbol in several spellings, if fills of files have it; in
 * lower case. Fills by hand keep the symbol of another platform's file.
 */
function presentNames(
  fills: readonly Pick<Fill, 'format' | 'symbol'>[],
): Map<string, string> {
  const others = new Set(fills.flatMap((fill) => (isSpelled(fill) ? [] : [fill.symbol])));
  const ofFiles = new Set(
    fills.flatMap(({ format, symbol }) => (hasSpellings(format) ? [symbol] : [])),
  );
  const candidates = fills.flatMap((fill) =>
    ofFiles.has(fill.symbol) || (isSpelled(fill) && !others.has(fill.symbol))
      ? [fill.symbol]
      : [],
  );

  const names = new Map<string, string>();
  for (const symbols of sameSymbols(candidates)) {
    if (!symbols.some((symbol) => ofFiles.has(symbol))) continue;

    const apart = symbols.find((symbol) => symbol.includes('/'));
    const name = pairName(apart ?? (symbols[0] as string));
    for (const symbol of symbols) names.set(symbol.toLowerCase(), name);
  }

  return names;
}
