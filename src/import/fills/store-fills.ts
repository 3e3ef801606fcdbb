/**
 * The steps of a file's fills, in the order they happen: each gets its identity and multiplier (incoming.ts); what the journal can't
 * keep is refused (bounds.ts); they are compared with the journal (compare.ts), then with other exports (duplicates.ts); their
 * instruments are walked as they were, the fills written, and their trades made again (make-trades.ts).
 */
import type { FillTable } from '../../journal-write/fills.ts';
import { onLine } from '../../journal-write/row-error.ts';
import { refuseUnkeepable } from './bounds.ts';
import { type Lacking, lackingOf, type NamedElsewhere, namedElsewhere } from './compare.ts';
import { FillDuplicates, type Stored } from './duplicates.ts';
import { type IncomingFill, platformOf } from './incoming.ts';
import { type Progress, type WalkedBefore, walkBefore } from './make-trades.ts';
import type { FormatTraits } from './reading.ts';
import { PROGRESS_EVERY } from './trade-changes.ts';

/** Fills of a file in the journal, whose trades are still to be made. */
export interface StoredFills {
  /** Executions, or parts of some, that the file states. */
  stated: number;
  /** Of them those that the journal didn't have. */
  added: number;
  namedElsewhere: NamedElsewhere;
  before: WalkedBefore[];
}

type StoreSettings = Progress & {
  format: FormatTraits;
  /** Whether fills that the journal seems to have by another export are separate ones. */
  allowDuplicates: boolean;
  /** Names of the platform's formats that state closed trades in place of fills. */
  closedTradeFormats?: readonly string[];
};

/**
 * All steps but the last, for which the fills need be in memory no longer.
 * @param stored what the journal has
 * @param incoming fills of one file, in its order
 * @param importId the import that states them, which is in the journal
 * @throws RowError, UserError where the file contradicts itself or the journal; the transaction is to be rolled back then
 */
export function storeFills(
  stored: Stored,
  incoming: readonly IncomingFill[],
  importId: number,
  settings: StoreSettings,
): StoredFills {
  const table = stored.fills;
  for (const { line, fill } of incoming) onLine(line, () => refuseUnkeepable(fill));
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

/** What the journal lacks of each fill: all, in a journal that has none of the platform. */
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
