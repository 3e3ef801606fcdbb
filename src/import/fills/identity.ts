/** What makes a fill the same one in every file that states it: the platform's own id, else a hash of what the file says. */
import { hash } from 'node:crypto';
import type { Fill } from '../../journal-write/fills.ts';
import { quote, RowError } from '../../journal-write/row-error.ts';
import type { FileFill } from './reading.ts';

/** An identity of at most 100 letters, digits and . _ : ~ -, so that a format's name fits before it in an id. */
export interface Identity {
  execution: string;
  /** Of a fill that is stated in pairs: the other end; null for the whole. */
  pairedWith: string | null;
  /** Both, and the account where the execution doesn't tell it: unique among what files state. */
  id: string;
  /** The one that it counts for. */
  account: string | null;
}

/** What an identity hangs on beside the fill. */
interface Origin {
  /** For fills that name no account. */
  account: string | null;
  /** Whether the platform uses an execution id once; else only within account, instrument and day. */
  hasUniqueIds?: boolean;
}

/**
 * @param fills of one file, in its order
 * @returns each fill once: a row that repeats an execution id and says the same is the same fill
 * @throws RowError where one execution id stands for two fills
 */
export function* identified(
  fills: readonly FileFill[],
  { account: ofOthers, hasUniqueIds = false }: Origin,
): Generator<[stated: FileFill, identity: Identity]> {
  const seen = new Map<string, FileFill>();
  const equals = new Map<string, number>();
  for (const fill of fills) {
    const account = fill.account ?? ofOthers;
    // A platform may give what cancels a fill the fill's own id.
    const suffix = fill.cancels ? '~cancelled' : '';
    if (fill.executionId === null) {
      const said = [...accountSegment(account), hashOf(fill)].join(':');
      const ordinal = (equals.get(said + suffix) ?? 0) + 1;
      equals.set(said + suffix, ordinal);
      const id = `${plain(fill.instrument.symbol, 40)}:${said}${ordinal === 1 ? '' : `.${ordinal}`}${suffix}`;
      yield [fill, { execution: id, pairedWith: null, id, account }];
      continue;
    }
    const own = hasUniqueIds ? uniqueId(fill, fill.executionId) : idWithinDay(fill, fill.executionId, account);
    const execution = own + suffix;
    const pairedWith = fill.cancels || fill.pairedWith === undefined ? null : plain(fill.pairedWith, 40);
    const part = fill.cancels ? 'cancelled' : pairedWith;
    const whole = part === null ? execution : `${execution}~${part}`;
    const id = hasUniqueIds && account !== null ? `${whole}@${accountDigest(account)}` : whole;
    const earlier = seen.get(id);
    if (earlier === undefined) {
      seen.set(id, fill);
      yield [fill, { execution, pairedWith, id, account }];
    } else refuseOther(earlier, fill);
  }
}

function uniqueId(fill: FileFill, id: string): string {
  return `${plain(fill.instrument.symbol, 64)}:${plain(id, 32)}`;
}

function idWithinDay({ instrument, executedAt }: FileFill, id: string, account: string | null): string {
  return [plain(instrument.symbol, 40), executedAt.slice(0, 10), ...accountSegment(account), plain(id, 32)].join(':');
}

/** An account's name stays out of ids, which go further than it should. */
function accountSegment(account: string | null): string[] {
  return account === null ? [] : [accountDigest(account)];
}

function accountDigest(account: string): string {
  return digest(account.toLowerCase(), 8);
}

/**
 * What the id of an execution would be, had its file named no account.
 * @param account of the execution
 */
export function withoutAccount(executionId: string, account: string | null): string {
  return account === null ? executionId : executionId.replace(`:${accountDigest(account)}:`, ':');
}

/** The same for one fill, whether or not the file that states it names the account; other fills have another. */
export function keyWithoutAccount(fill: Fill): string {
  const { execution_id, paired_with, state, account, executed_at, kind, side, quantity, price } = fill;
  const id = withoutAccount(execution_id, account);
  return JSON.stringify([id, paired_with, state, executed_at, kind, side, quantity, price]);
}

/** Letters, digits and . _ ~ -; what would lose something by that, or is too long, has a hash at its end. */
function plain(text: string, longest: number): string {
  const cleaned = text.replace(/[^A-Za-z0-9._~-]/g, '-');
  // Spaces and slashes within symbols tell nothing apart.
  if (cleaned.length <= longest && text.replace(/[ /]/g, '-') === cleaned) return cleaned;
  return `${cleaned.slice(0, longest - 9)}.${digest(text, 8)}`;
}

function hashOf(fill: FileFill): string {
  const { instrument, executedAt, kind, side, quantity, price, fees, feeQuantity, otherFee, effect } = fill;
  // The place of the account, which stands beside the hash.
  const said = [null, instrument.symbol, instrument.market, instrument.currency, executedAt, kind, side, quantity];
  return digest(JSON.stringify([...said, price, fees, feeQuantity, otherFee, effect]), 24);
}

function digest(text: string, length: number): string {
  return hash('sha256', text).slice(0, length);
}

const SAID = ['executedAt', 'kind', 'side', 'quantity', 'price'] as const;

function refuseOther(earlier: FileFill, fill: FileFill): void {
  const differing = SAID.find((name) => earlier[name] !== fill[name]);
  if (differing === undefined) return;
  throw new RowError(
    differing,
    `execution ${fill.executionId} of ${fill.instrument.symbol} is on line ${earlier.line} with ${quote(earlier[differing])}; here it is ${quote(fill[differing])}`,
    fill.line,
  );
}
