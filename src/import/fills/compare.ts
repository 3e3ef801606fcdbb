/** Comparison of fills with the journal: new facts, and contradictions. */
import { type Fill, replacesFees, replacesOrder } from '../../journal-write/fill-row.ts';
import type { FillTable } from '../../journal-write/fills.ts';
import { quote, RowError } from '../../journal-write/row-error.ts';
import { isSameAccount } from './accounts.ts';
import type { FillDuplicates } from './duplicates.ts';
import { keyWithoutAccount } from './identity.ts';
import type { IncomingFill } from './incoming.ts';

/** What the journal lacks of a fill: another export may have the fees or account that the first omits. */
export type Lacking = 'fill' | 'account' | 'fees' | 'order' | 'nothing';

/**
 * @param duplicates compares new fills with other formats; undefined: they are separate fills
 * @throws RowError if the fill contradicts the journal
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

/** Fields that a fill has in common in every file; parts of an execution may differ in quantity only. */
const FACTS = ['executed_at', 'kind', 'side', 'price', 'quantity', 'account'] as const;

/**
 * The same fill in the journal; undefined if it is new.
 * @throws RowError if the journal contradicts it
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
        `this fill of ${fill.symbol} has ${quote(other[differing])} in the journal but ${quote(fill[differing])} in this file; undo its import ("journal-api import list"), or pass the --timezone and --account of that import`,
        line,
      );
    }
  }
  return known;
}

function isSamePart(fill: Fill, other: Fill): boolean {
  return fill.paired_with === other.paired_with && fill.state === other.state;
}

/** The counterparts of a file's unnamed fills in accounts that other files name. */
export interface NamedElsewhere {
  executions: string[];
  /** Fills that match several accounts, so that their own is unknown. */
  unclear: Fill[];
}

/** @param incoming fills already stored in the journal */
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
