/** The usual size of a trade: the median quantity of all closed trades of an account and underlying. */
import { foldCase } from '../../sqlite/functions.ts';
import type { Reader } from '../../sqlite/reader.ts';
import type { User } from '../journal.ts';
import { ifSmall, isSmall, ResponseTooLarge } from '../response-size.ts';
import { storedNumber } from '../stored-value.ts';
import { Where } from '../where.ts';
import type { ClosedTrade } from './closed-trade.ts';
import { medianOf } from './statistics.ts';
import { CHUNK } from './trade-rows.ts';

const MAX_OCTETS = '256000';

const LABELS = 'account, coalesce(underlying, symbol) AS underlying';
const OCTETS = 'coalesce(octet_length(account), 0) + coalesce(octet_length(underlying), 0)';

interface SizeRow {
  id: string;
  closed_at: string;
  account: string | null;
  underlying: string;
  quantity: number;
}

export class UsualSizes {
  readonly #lists = new Map<string, number[]>();
  readonly #medians = new Map<readonly number[], number>();
  /** The same lists by account and underlying as spelt: folding the case of each would take longer than all the rest. */
  readonly #spelt = new Map<string | null, Map<string | null, number[]>>();

  static *of(reader: Reader, user: User): Generator<void, UsualSizes> {
    const sizes = new UsualSizes();
    yield* sizes.#read(reader, user);
    return sizes;
  }

  /** The median quantity of closed trades; undefined if there are none. */
  medianOf({ account, underlying }: Pick<ClosedTrade, 'account' | 'underlying'>): number | undefined {
    return this.#medians.get(this.#listOf(account, underlying));
  }

  *#read(reader: Reader, user: User): Generator<void, void> {
    for (let last: SizeRow | undefined; ; ) {
      const where = new Where(user.id);
      where.add('closed_at IS NOT NULL');
      if (last) where.compare(['closed_at', 'id'], '>', [last.closed_at, last.id]);
      where.add(isSmall(OCTETS, MAX_OCTETS));
      const sql = `SELECT id, closed_at, ${LABELS}, quantity FROM trades WHERE ${where.sql} ORDER BY closed_at, id LIMIT ${CHUNK}`;
      const rows = ifSmall(() => reader.all(sql, ...where.values)) as SizeRow[] | undefined;
      if (!rows) throw new ResponseTooLarge('the account or underlying of a trade takes more than 256 KB; shorten it');
      for (const { account, underlying, quantity } of rows)
        this.#listOf(account, underlying).push(storedNumber(quantity));
      if (rows.length < CHUNK) break;
      last = rows.at(-1);
      yield;
    }
    yield* this.#sort();
  }

  *#sort(): Generator<void, void> {
    let sorted = 0;
    for (const list of this.#lists.values()) {
      this.#medians.set(list, medianOf(list) as number);
      sorted += list.length;
      // Only their median is needed.
      list.length = 0;
      if (sorted < CHUNK) continue;
      sorted = 0;
      yield;
    }
  }

  #listOf(account: string | null, underlying: string | null): number[] {
    let ofAccount = this.#spelt.get(account);
    if (!ofAccount) {
      ofAccount = new Map();
      this.#spelt.set(account, ofAccount);
    }
    let list = ofAccount.get(underlying);
    if (!list) {
      const name = JSON.stringify([account, underlying].map((label) => label && foldCase(label)));
      list = this.#lists.get(name) ?? [];
      this.#lists.set(name, list);
      ofAccount.set(underlying, list);
    }
    return list;
  }
}
