/** The usual size of a trade: the median quantity of all closed trades of an account and underlying. */
import { foldCase } from '../../sqlite/functions.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { AnswerTooLarge, ifSmall, isSmall } from '../answer-size.ts';
import type { User } from '../journal.ts';
import { storedNumber } from '../stored-value.ts';
import { medianOf } from './statistics.ts';
import { CHUNK, type ClosedTrade } from './trade-rows.ts';

/** By account and underlying. */
export type UsualSizes = ReadonlyMap<string, number>;

/** Kept with a handle while what it reads stays the same: they take a pass over the journal. */
const kept = new WeakMap<Reader, { version: unknown; byUser: Map<string, UsualSizes> }>();
const MAX_USERS = 10;

const MAX_OCTETS = '256000';

const LABELS = 'account, coalesce(underlying, symbol) AS underlying';
const OCTETS = 'coalesce(octet_length(account), 0) + coalesce(octet_length(underlying), 0)';

/** With pauses, where they aren't known. */
export function* usualSizes(reader: Reader, user: User): Generator<void, UsualSizes> {
  const version = reader.get('PRAGMA data_version')?.['data_version'];
  let known = kept.get(reader);
  if (known?.version !== version || (known as { byUser: Map<string, UsualSizes> }).byUser.size >= MAX_USERS) {
    known = { version, byUser: new Map() };
    kept.set(reader, known);
  }
  const { byUser } = known as { byUser: Map<string, UsualSizes> };
  const sizes = byUser.get(user.id) ?? (yield* computed(reader, user));
  byUser.set(user.id, sizes);
  return sizes;
}

export function nameOfSize({ account, underlying }: Pick<ClosedTrade, 'account' | 'underlying'>): string {
  return JSON.stringify([account && foldCase(account), underlying && foldCase(underlying)]);
}

function* computed(reader: Reader, user: User): Generator<void, UsualSizes> {
  const quantities = new Map<string, number[]>();
  // As they are spelt: folding the case of each would take longer than all the rest.
  const spelt = new Map<string | null, Map<string, number[]>>();
  let after = '';
  for (;;) {
    const rows = ifSmall(() =>
      reader.all(
        `SELECT id, ${LABELS}, quantity, closed_at IS NULL AS is_open FROM trades
         WHERE user_id = ${TEXT} AND id > ${TEXT} AND ${isSmall(OCTETS, MAX_OCTETS)} ORDER BY id LIMIT ${CHUNK}`,
        user.id,
        after,
      ),
    ) as { id: string; account: string | null; underlying: string; quantity: number; is_open: 0 | 1 }[] | undefined;
    if (!rows) throw new AnswerTooLarge('the account or underlying of a trade takes more than 256 KB; shorten it');
    for (const { account, underlying, quantity, is_open } of rows) {
      if (is_open) continue;
      let ofAccount = spelt.get(account);
      if (!ofAccount) {
        ofAccount = new Map();
        spelt.set(account, ofAccount);
      }
      let list = ofAccount.get(underlying);
      if (!list) {
        const name = nameOfSize({ account, underlying });
        list = quantities.get(name) ?? [];
        quantities.set(name, list);
        ofAccount.set(underlying, list);
      }
      list.push(storedNumber(quantity));
    }
    if (rows.length < CHUNK) break;
    after = rows.at(-1)?.id as string;
    yield;
  }
  const medians = new Map<string, number>();
  let sorted = 0;
  for (const [name, list] of quantities) {
    medians.set(name, medianOf(list) as number);
    sorted += list.length;
    if (sorted < CHUNK) continue;
    sorted = 0;
    yield;
  }
  return medians;
}
