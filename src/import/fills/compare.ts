/** Fills beside what the journal has of them: what is new of each, and what contradicts. */
import { type Fill, type FillTable, replacesFees, replacesOrder } from '../../journal-write/fills.ts';
import { quote, RowError } from '../../journal-write/row-error.ts';
import { isSameAccount } from './accounts.ts';
import type { FillDuplicates } from './duplicates.ts';
import { keyWithoutAccount } from './identity.ts';
import type { IncomingFill } from './incoming.ts';

/** What of a fill the journal lacks: another export may have the fees or the account that the first leaves out. */
export type Lacking = 'fill' | 'account' | 'fees' | 'order' | 'nothing';

/**
 * @param duplicates compares what is new with other formats; undefined: they are separate fills
 * @throws RowError where the fill contradicts the journal
 */
export function lackingOf(fill: Fill, line: number, table: FillTable, duplicates: FillDuplicates | undefined): Lacking {
  const known = knownAs(fill, line, table);
  if (known) return replacesFees(fill, known) ? 'fees' : replacesOrder(fill, known) ? 'order' : 'nothing';
  const alike = table.alike(fill);
  if (alike.some((other) => (other.account === null) !== (fill.account === null) && isSameButAccount(fill, other))) {
    return 'account';
  }
  duplicates?.compare(fill, alike, line);
  return 'fill';
}

/** What a fill must be in every file; a part of an execution, but for its quantity, as the other parts. */
const FACTS = ['executed_at', 'kind', 'side', 'price', 'quantity', 'account'] as const;

/**
 * The same fill in the journal; undefined where it is new.
 * @throws RowError where the journal has it otherwise
 */
function knownAs(fill: Fill, line: number, table: FillTable): Fill | undefined {
  const known = table.find(fill.id);
  const comparable = known ? [known] : table.partsOf(fill.execution_id).filter(({ state }) => state !== 'adopted');
  for (const other of comparable) {
    const differing = FACTS.find((name) => {
      if (name === 'quantity' && !isSamePart(fill, other)) return false;
      if (name === 'account') return !isSameAccount(other, fill);
      return other[name] !== fill[name];
    });
    if (differing !== undefined) {
      throw new RowError(
        differing,
        `the journal has this fill of ${fill.symbol} with ${quote(other[differing])}, and here it is ${quote(fill[differing])}: undo the import that brought it ("journal-api import list"), or read this file as that one was (--timezone, --account)`,
        line,
      );
    }
  }
  return known;
}

function isSamePart(fill: Fill, other: Fill): boolean {
  return fill.paired_with === other.paired_with && fill.state === other.state;
}

/** Of fills that a file states without an account: the same ones in accounts that other files name. */
export interface NamedElsewhere {
  /** Ids. */
  executions: string[];
  /** Fills that several accounts have, so that nothing tells whose this one is. */
  unclear: Fill[];
}

/** @param incoming fills that are in the journal by now */
export function namedElsewhere(incoming: readonly IncomingFill[], table: FillTable): NamedElsewhere {
  const found: NamedElsewhere = { executions: [], unclear: [] };
  const isNamed = new Map<string, boolean>();
  for (const { fill } of incoming) {
    if (fill.account !== null) continue;
    const { platform, symbol } = fill;
    const named = isNamed.get(symbol) ?? table.traitsOf(platform, symbol).named;
    isNamed.set(symbol, named);
    if (!named) continue;
    const others = table.alike(fill).filter((other) => other.account !== null && isSameButAccount(fill, other));
    for (const { execution_id } of others) found.executions.push(execution_id);
    if (others.length > 1) found.unclear.push(fill);
  }
  return found;
}

function isSameButAccount(fill: Fill, other: Fill): boolean {
  return keyWithoutAccount(other) === keyWithoutAccount(fill);
}
