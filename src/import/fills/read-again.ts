/**
 * The fills of an import in another zone or account, worked out from what its file wrote:
 * the file itself isn't needed.
 */

import type { Fill } from '../../statements/fill-row.ts';
import type { FillStatement, WrittenFill } from '../../statements/fills.ts';
import type { ImportEntry } from '../../statements/import-entry.ts';
import { localText, parseLocal, toInstantText } from '../../time.ts';
import { platformIdOf } from './identity.ts';
import type { IncomingFill } from './incoming.ts';
import type { FileFill } from './reading.ts';

export interface ReadAgain {
  /** The zone of times without one. */
  zone: string | null;
  /** For rows without an account in the file. */
  account: string | null;
  /** The present name of a file's account. */
  present: (account: string | null) => string | null;
  /** The key by which fills of an account are walked together. */
  platformIn: (account: string | null) => string;
}

/**
 * @param statements of one import, in the order of its file
 * @param entry how they were read
 * @returns the same rows, read as given
 */
export function fillsAgain(
  statements: readonly FillStatement[],
  entry: Pick<ImportEntry, 'timezone' | 'account'>,
  { zone, account, present, platformIn }: ReadAgain,
): IncomingFill[] {
  return statements.map((statement) => {
    const { fill, fees, written, place } = statement;
    const stated = statement.account ?? fill.account ?? '';
    const isTyped = stated === '' || stated === entry.account;
    const named = isTyped ? (account ?? '') : stated;
    const presentName = present(named || null);
    const clock = written.clock ?? clockOf(fill, entry.timezone);
    const before = written.executed_at ?? fill.executed_at;

    return {
      line: place + 1,
      hasId: (written.identity ?? platformIdOf(fill.id)) !== null,
      platformId: written.identity ?? platformIdOf(fill.id),
      clock,
      account: named,
      stated: statedOf(written),
      fill: {
        ...fill,
        ...fees,
        account: presentName,
        platform: platformIn(presentName),
        executed_at: instantOf(clock, zone) ?? before,
        price: written.price ?? fill.price,
        quantity: written.quantity ?? fill.quantity,
        stated_gross_pnl: written.gross_pnl,
        stated_net_pnl: written.net_pnl,
        lots: written.lots,
      },
    };
  });
}

function statedOf({ gross_pnl: gross, net_pnl: net }: WrittenFill): FileFill['stated'] {
  if (gross === null && net === null) return null;
  return { ...(gross !== null && { gross }), ...(net !== null && { net }) };
}

/** Earlier versions kept no clocks: those in the zone of the import. */
function clockOf({ executed_at, has_time }: Fill, zone: string | null): string {
  if (zone === null || !has_time) return '';
  return localText(executed_at, zone);
}

/** Undefined for a day, and for a time whose zone the file states. */
function instantOf(clock: string, zone: string | null): string | undefined {
  if (!clock.includes('T') || zone === null) return undefined;
  return toInstantText(parseLocal(clock, zone) as number);
}
