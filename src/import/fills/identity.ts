/**
 * The ids of fills: the platform's own, else a hash of what the first file wrote. The journal's
 * fills keep the ids that they have.
 */

import { hash } from 'node:crypto';
import { quote, RowError } from '../../errors.ts';
import { type Fill, PART, type PlacedFill, pairOf } from '../../statements/fill-row.ts';
import type { FileFill } from './reading.ts';

/**
 * An identity of at most 100 letters, digits and . _ : ~ -, so that a format's name fits before it
 * in an id.
 */
export interface Identity {
  execution: string;
  /** The column "part". */
  part: string | null;
  /** Both, and the account if the execution lacks it: unique among all stated fills. */
  id: string;
  /**
   * The platform's id within account and instrument, with that of the other end of a pair; null if
   * none.
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
   * Whether execution ids are unique on the platform; else only within account, instrument and day.
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
    const part = fill.cancels ? PART.cancels : null;
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
    const execution = ofPlatform + (isSecond ? `~~${accountDigest(account)}` : '') + suffixOf(fill);

    const pair = fill.pairedWith === undefined ? null : plain(fill.pairedWith, 40);
    const part = fill.cancels ? PART.cancels : pair;
    const whole = part === null ? execution : `${execution}~${part}`;
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

/** A platform may give a cancellation the id of its fill. */
function suffixOf({ cancels }: FileFill): string {
  return cancels ? '~cancelled' : '';
}

function uniqueId(fill: FileFill, id: string): string {
  return `${plain(fill.instrument.symbol, 64)}:${plain(id, 32)}`;
}

function idWithinDay(fill: FileFill, id: string, account: string | null): string {
  const day = (fill.clock || fill.executedAt).slice(0, 10);
  return [plain(fill.instrument.symbol, 40), day, ...accountSegment(account), plain(id, 32)].join(
    ':',
  );
}

const HASH = /^[0-9a-f]{24}(?:\.\d+)?(?:~cancelled)?$/;

/**
 * The platform's id in the id of a fill, with that of the other end of a pair; null if its file has
 * none.
 */
export function platformIdOf(fillId: string): string | null {
  const last = fillId.slice(fillId.lastIndexOf(':') + 1).replace(/(?:@|~~)[0-9a-f]{8}/, '');
  return HASH.test(last) ? null : last;
}

/**
 * The same fill with ids that no other has: the account's, then numbered. @param isTaken whether a
 * fill has one of them
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
  return account === null ? executionId : executionId.replace(`:${accountDigest(account)}:`, ':');
}

/**
 * The fill in another account, with the ids that a file gives it there.
 * @param hasUniqueIds whether its platform's ids are unique: they are then without an account
 */
export function inAccount(fill: Fill, account: string | null, hasUniqueIds: boolean): Fill {
  const before = fill.account === null ? undefined : accountDigest(fill.account);
  const after = account === null ? undefined : accountDigest(account);
  const moved = (id: string): string => {
    if (before !== undefined) {
      if (id.endsWith(`@${before}`))
        return id.slice(0, -before.length - 1) + (after === undefined ? '' : `@${after}`);
      return id.replace(`:${before}:`, after === undefined ? ':' : `:${after}:`);
    }
    const last = id.lastIndexOf(':');
    if (after === undefined || fill.part === PART.adopted) return id;
    const isHash = /^[0-9a-f]{24}(?![0-9a-z])/.test(id.slice(last + 1));
    if (hasUniqueIds && !isHash) return id === fill.id ? `${id}@${after}` : id;
    return `${id.slice(0, last)}:${after}${id.slice(last)}`;
  };
  const isUnique = hasUniqueIds && fill.id === fill.execution_id;
  const execution_id =
    isUnique && before === undefined ? fill.execution_id : moved(fill.execution_id);
  return { ...fill, account, id: moved(fill.id), execution_id };
}

// Expirations that the user books.

/** The id of an option's booked expiration, by any of its fills: there is one for each account. */
export function bookedId({ symbol, expiration, account, platform, currency }: Fill): string {
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
    ...{
      id,
      execution_id: id,
      part: PART.booked,
      format: 'expire',
      executed_at,
      kind: 'expiration',
    },
    ...{
      side: null,
      quantity: null,
      price,
      fees: 0,
      fee_quantity: 0,
      effect: 'close',
      may_short: false,
    },
    ...{
      rate_base: null,
      rate: null,
      former_symbol: null,
      has_time: true,
      order_id: null,
      fees_stated: true,
    },
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
 * Text reduced to letters, digits and . _ ~ -; if that loses anything, or the text is too long, a
 * hash is appended.
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
  const written = [instrument.symbol, (clock || executedAt) + order, kind, side, quantity, price];
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
 * Equal for fills of one account and instrument; another market or currency is another instrument.
 */
export function instrumentKey(fill: Fill, symbol = fill.symbol): string {
  return JSON.stringify([fill.account, symbol, fill.market, fill.currency]).toLowerCase();
}

// Fills from files that name no account. Such a file omits a fact and contradicts none: if another
// file names the account of the same fill, the fill is in that account, whichever file came first.

type InAccount = Pick<Fill, 'account'>;

/** Whether two fills may be in the same account: an unnamed account matches any. */
export function isSameAccount(a: InAccount, b: InAccount): boolean {
  return (
    a.account === null || b.account === null || a.account.toLowerCase() === b.account.toLowerCase()
  );
}

/**
 * @param placed fills of some instruments in all accounts
 * @returns each fill once, in its named account. An unnamed fill that matches several accounts is
 * dropped as a duplicate
 */
export function inNamedAccounts(placed: readonly PlacedFill[]): readonly PlacedFill[] {
  const stated = placed.filter(({ fill }) => fill.part !== PART.adopted);
  const named = stated.filter(({ fill }) => fill.account !== null);
  if (named.length === 0 || named.length === stated.length) return placed;
  const namedByKey = Map.groupBy(named, ({ fill }) => keyWithoutAccount(fill));
  const completed = new Map<PlacedFill, PlacedFill>();
  const unnamed: PlacedFill[] = [];
  for (const own of stated) {
    if (own.fill.account !== null) continue;
    const others = namedByKey.get(keyWithoutAccount(own.fill)) ?? [];
    const [only] = others;
    if (only && others.length === 1) completed.set(only, merged(only, own));
    if (others.length === 0) unnamed.push(own);
  }
  const accountOf = accountsByPairs(named, unnamed);
  return [
    ...placed.filter(({ fill }) => fill.part === PART.adopted),
    ...named.map((own) => completed.get(own) ?? own),
    ...unnamed.map((own) => ({ ...own, fill: { ...own.fill, account: accountOf(own.fill) } })),
  ];
}

function merged(own: PlacedFill, other: PlacedFill): PlacedFill {
  const isDearer = Math.abs(other.fill.fees) > Math.abs(own.fill.fees);
  return {
    fill: isDearer ? { ...own.fill, fees: other.fill.fees } : own.fill,
    places: new Map([...other.places, ...own.places]),
  };
}

/**
 * Both ends of a pair are in one account, and so are the parts of an execution.
 * @returns the account of an unnamed fill; null if its pairs lead to none or several
 */
function accountsByPairs(
  named: readonly PlacedFill[],
  unnamed: readonly PlacedFill[],
): (fill: Fill) => string | null {
  const parents = new Map<string, string>();
  const rootOf = (id: string): string => {
    let root = id;
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root))
      root = parent;
    if (root !== id) parents.set(id, root);
    return root;
  };
  for (const { fill } of [...named, ...unnamed]) {
    const [one, other] = [rootOf(fill.execution_id), rootOf(otherEndOf(fill))];
    if (one !== other) parents.set(one, other);
  }
  const accounts = Map.groupBy(named, ({ fill }) => rootOf(fill.execution_id));
  return ({ execution_id }) => {
    const names = (accounts.get(rootOf(execution_id)) ?? [])
      .map(({ fill }) => String(fill.account))
      .sort();
    const [first = null] = names;
    return names.every((name) => name.toLowerCase() === first?.toLowerCase()) ? first : null;
  };
}

/** The execution at the other end of a pair; without a pair, the fill's own. */
function otherEndOf(fill: Fill): string {
  const [{ execution_id }, other] = [fill, pairOf(fill)];
  if (other === null) return execution_id;
  const [ofAccount = ''] = /~~[0-9a-f]{8}$/.exec(execution_id) ?? [];
  return `${execution_id.slice(0, execution_id.lastIndexOf(':'))}:${other}${ofAccount}`;
}

// Order of ids, if no file decides.

/** Numbers at the end of ids rise with time, so a longer id is later. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || compare(a, b);
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
