/**
 * Fills from files that name no account. Such a file omits a fact and contradicts none:
 * if another file names the account of the same fill, the fill is in that account,
 * whichever file came first.
 */
import {
  type Fill,
  PART,
  type PlacedFill,
  pairOf,
} from '../../../statements/fill-row.ts';
import { keyWithoutAccount } from '../identity.ts';

/**
 * @param placed fills of some instruments in all accounts
 * @returns each fill once, in its named account. An unnamed fill that matches several
 * accounts is dropped as a duplicate
 */
export function inNamedAccounts(placed: readonly PlacedFill[]): readonly PlacedFill[] {
  const stated = placed.filter(({ fill }) => fill.part !== PART.adopted);
  const named = stated.filter(({ fill }) => fill.account !== null);
  if (named.length === 0 || named.length === stated.length) return placed;

  const namedByKey = Map.groupBy(named, ({ fill }) => keyWithoutAccount(fill));
  const completed = new Map<PlacedFill, PlacedFill>();
  const unnamed: PlacedFill[] = [];

  for (const item of stated) {
    if (item.fill.account !== null) continue;
    const others = namedByKey.get(keyWithoutAccount(item.fill)) ?? [];
    const [only] = others;
    if (only && others.length === 1) completed.set(only, merged(only, item));
    if (others.length === 0) unnamed.push(item);
  }

  const accountOf = accountsByPairs(named, unnamed);
  return [
    ...placed.filter(({ fill }) => fill.part === PART.adopted),
    ...named.map((item) => completed.get(item) ?? item),
    ...unnamed.map((item) => ({
      ...item,
      fill: { ...item.fill, account: accountOf(item.fill) },
    })),
  ];
}

/** A fill with the higher fees and the places of both. */
function merged(named: PlacedFill, unnamed: PlacedFill): PlacedFill {
  const isDearer = Math.abs(unnamed.fill.fees) > Math.abs(named.fill.fees);
  return {
    fill: isDearer ? { ...named.fill, fees: unnamed.fill.fees } : named.fill,
    places: new Map([...unnamed.places, ...named.places]),
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
    const [root, otherRoot] = [rootOf(fill.execution_id), rootOf(otherEndOf(fill))];
    if (root !== otherRoot) parents.set(root, otherRoot);
  }

  const accounts = Map.groupBy(named, ({ fill }) => rootOf(fill.execution_id));
  return ({ execution_id }) => {
    const names = (accounts.get(rootOf(execution_id)) ?? [])
      .map(({ fill }) => String(fill.account))
      .sort();
    const [first = null] = names;
    return names.every((name) => name.toLowerCase() === first?.toLowerCase())
      ? first
      : null;
  };
}

/** The execution at the other end of a pair; without a pair, the fill's own. */
function otherEndOf(fill: Fill): string {
  const [{ execution_id }, other] = [fill, pairOf(fill)];
  if (other === null) return execution_id;
  const [ofAccount = ''] = /~~[0-9a-f]{8}$/.exec(execution_id) ?? [];
  return `${execution_id.slice(0, execution_id.lastIndexOf(':'))}:${other}${ofAccount}`;
}
