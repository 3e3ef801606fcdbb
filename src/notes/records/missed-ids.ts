/** The ids of the missed trades that parts of notes are about. */
import { resolve } from 'node:path';
import { missedTrades } from '../../journal/resources/journals.ts';
import type { DayRecords } from '../day-records.ts';
import type { NotedRecord } from '../note.ts';
import type { FormerRecords } from './former-note.ts';
import type { PrintedParts } from './printed-parts.ts';

type Ids = Map<NotedRecord, string>;

/** What the journal has of them. */
interface Known {
  records: DayRecords;
  former: FormerRecords;
  /** Of an edited note. */
  printed: PrintedParts | undefined;
  zone: string;
  userZone: string;
}

/** Of each part, the id in the journal or a new one. */
export function missedIds(
  parts: readonly NotedRecord[],
  known: Known,
): ReadonlyMap<NotedRecord, string> {
  const { printed, records } = known;
  const ids = printed ? idsAsPrinted(parts, known, printed) : idsByPlace(parts, known);
  for (const part of parts) if (!ids.has(part)) ids.set(part, newId(part, records));
  return ids;
}

/** All of them by time, then what is left by line. */
function idsByPlace(parts: readonly NotedRecord[], known: Known): Ids {
  const { records, former, zone, userZone } = known;
  const placeOf = ({ file, line }: NotedRecord) => ({
    path: resolve(file),
    line,
    zone,
    userZone,
  });
  const ids: Ids = new Map();

  const put = (part: NotedRecord, id: string | undefined) => {
    if (id !== undefined) ids.set(part, id);
  };

  for (const part of parts)
    put(
      part,
      former.of(part, missedTrades) ?? records.missedOf(part.values, placeOf(part)),
    );
  for (const part of parts)
    if (!ids.has(part)) put(part, records.missedOnLine(part.values, placeOf(part)));
  return ids;
}

/** Of an edited note: each has the id of the one that was printed. */
function idsAsPrinted(
  parts: readonly NotedRecord[],
  { records, former }: Known,
  printed: PrintedParts,
): Ids {
  const ids: Ids = new Map();
  const pairs = printed.pairMissed(parts);
  for (const before of printed.missed) {
    const part = pairs.get(before);
    const onLine = part
      ? former.of(part, missedTrades)
      : former.removed({ line: before.line, isGone: true }, missedTrades);
    // One that the journal lacks went while the note was open.
    const id = onLine ?? records.missedAt(before.values) ?? newId(before, records);
    printed.found(missedTrades, id, before);
    if (part) ids.set(part, id);
  }

  for (const part of parts) {
    const id =
      ids.get(part) ?? former.of(part, missedTrades) ?? records.missedAt(part.values);
    if (id !== undefined) ids.set(part, id);
  }

  return ids;
}

function newId({ date, values }: NotedRecord, records: DayRecords): string {
  const { missed_at, symbol } = values as Record<'missed_at' | 'symbol', string>;
  return records.newMissed(date, missed_at.slice(11, 16).replace(':', ''), symbol);
}
