/**
 * The steps of a file's fills, in order: each gets its identity and multiplier (incoming.ts); fills out of bounds are rejected
 * (bounds.ts); fills are compared with the journal (compare.ts), then with other exports (duplicates.ts); their instruments are
 * walked, the fills written, and the trades updated (make-trades.ts).
 */
import type { FillTable } from '../../journal-write/fills.ts';
import { onLine } from '../../journal-write/row-error.ts';
import { refuseUnstorable } from './bounds.ts';
import { type Lacking, lackingOf, type NamedElsewhere, namedElsewhere } from './compare.ts';
import { FillDuplicates, type Stored } from './duplicates.ts';
import { type IncomingFill, platformOf } from './incoming.ts';
import { type Progress, type WalkedBefore, walkBefore } from './make-trades.ts';
import type { FormatTraits } from './reading.ts';
import { PROGRESS_EVERY } from './trade-changes.ts';

/** Result of storing a file's fills, before their trades are made. */
export interface StoredFills {
  /** Number of executions, or parts of executions, in the file. */
  stated: number;
  added: number;
  namedElsewhere: NamedElsewhere;
  before: WalkedBefore[];
}

type StoreSettings = Progress & {
  format: FormatTraits;
  /** Whether suspected duplicates from another export are separate fills. */
  allowDuplicates: boolean;
  /** Names of the platform's formats with closed trades instead of fills. */
  closedTradeFormats?: readonly string[];
};

/**
 * All steps but the last, which doesn't need the fills in memory.
 * @param stored the journal's tables
 * @param incoming fills of one file, in its order
 * @param importId the import that states them, already in the journal
 * @throws RowError, UserError if the file contradicts itself or the journal; the caller rolls the transaction back
 */
export function storeFills(
  stored: Stored,
  incoming: readonly IncomingFill[],
  importId: number,
  settings: StoreSettings,
): StoredFills {
  const table = stored.fills;
  for (const { line, fill } of incoming) onLine(line, () => refuseUnstorable(fill));
  const duplicates = settings.allowDuplicates ? undefined : new FillDuplicates(stored, settings.format);
  const lacking = compared(incoming, table, duplicates, settings);
  const added = incoming.filter((_, place) => lacking[place] === 'fill');
  if (added.length > 0) {
    duplicates?.compareOrders(incoming, added);
    duplicates?.compareClosedTrades(incoming, settings.closedTradeFormats ?? []);
  }
  duplicates?.refuse();
  const changed = incoming.filter((_, place) => lacking[place] !== 'nothing');
  const before = walkBefore(
    changed.map(({ fill }) => fill),
    table,
  );
  for (const [place, own] of incoming.entries()) {
    put(own, lacking[place], table);
    table.state(own.fill.id, importId, place, own.fill);
    if (place % PROGRESS_EVERY === 0) settings.progress?.('fills', place, incoming.length);
  }
  return { before, stated: incoming.length, added: added.length, namedElsewhere: namedElsewhere(incoming, table) };
}

/** What the journal lacks of each fill: everything, if it has none of the platform. */
function compared(
  incoming: readonly IncomingFill[],
  table: FillTable,
  duplicates: FillDuplicates | undefined,
  { format }: StoreSettings,
): Lacking[] {
  const isFirst = !table.hasAny(platformOf(format));
  return incoming.map(({ fill, line }) => (isFirst ? 'fill' : lackingOf(fill, line, table, duplicates)));
}

function put({ line, fill }: IncomingFill, lacking: Lacking | undefined, table: FillTable): void {
  if (lacking === 'fill' || lacking === 'account') onLine(line, () => table.add(fill));
  if (lacking === 'fees') table.setFees(fill.id, fill);
  if (lacking === 'fees' || lacking === 'order') table.setOrder(fill);
}
