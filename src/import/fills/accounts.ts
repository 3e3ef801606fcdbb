/**
 * Fills from files that name no account. Such a file omits a fact and contradicts none: if another file names the account of
 * the same fill, the fill is in that account, whichever file came first.
 */
import type { Fill, PlacedFill } from '../../journal-write/fill-row.ts';
import { keyWithoutAccount } from './identity.ts';

type InAccount = Pick<Fill, 'account'>;

/** Whether two fills may be in the same account: an unnamed account matches any. */
export function isSameAccount(a: InAccount, b: InAccount): boolean {
  return a.account === null || b.account === null || a.account.toLowerCase() === b.account.toLowerCase();
}

/**
 * @param placed fills of some instruments in all accounts
 * @returns each fill once, in its named account. An unnamed fill that matches several accounts is dropped as a duplicate
 */
export function inNamedAccounts(placed: readonly PlacedFill[]): readonly PlacedFill[] {
  const stated = placed.filter(({ fill }) => fill.state !== 'adopted');
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
    ...placed.filter(({ fill }) => fill.state === 'adopted'),
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
function accountsByPairs(named: readonly PlacedFill[], unnamed: readonly PlacedFill[]): (fill: Fill) => string | null {
  const parents = new Map<string, string>();
  const rootOf = (id: string): string => {
    let root = id;
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) root = parent;
    if (root !== id) parents.set(id, root);
    return root;
  };
  for (const { fill } of [...named, ...unnamed]) {
    const [one, other] = [rootOf(fill.execution_id), rootOf(otherEndOf(fill))];
    if (one !== other) parents.set(one, other);
  }
  const accounts = Map.groupBy(named, ({ fill }) => rootOf(fill.execution_id));
  return ({ execution_id }) => {
    const names = (accounts.get(rootOf(execution_id)) ?? []).map(({ fill }) => String(fill.account)).sort();
    const [first = null] = names;
    return names.every((name) => name.toLowerCase() === first?.toLowerCase()) ? first : null;
  };
}

/** The execution at the other end of a pair; without a pair, the fill's own. */
function otherEndOf({ execution_id, paired_with }: Fill): string {
  return paired_with === null ? execution_id : `${execution_id.slice(0, execution_id.lastIndexOf(':'))}:${paired_with}`;
}
