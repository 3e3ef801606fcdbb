/**
 * What was written about trades and positions, with its pictures: of a day, and in a
 * report.
 */
import type { ComponentChildren } from 'preact';
import { Card } from '../components/card.tsx';
import { useResponse, useSession } from '../session.ts';
import type { TradeDetail } from '../types.ts';
import { EntryItem } from './journal-items.tsx';
import { Attachments, Text } from './journal-parts.tsx';
import type { TableRow } from './position-rows.ts';

/** Trades whose texts are asked for, one by one: more in a day belong to programs. */
const MOST = 40;

/** What closed on the day. */
export interface Closed {
  row: TableRow;
  /** Of the trade, or of the legs. */
  ids: readonly string[];
}

/** In the order of closing. */
export function DayNotes({ closed }: { closed: readonly Closed[] }) {
  const ids = closed.flatMap((position) => position.ids);
  const { trades, isLoading } = useDetails(ids.slice(0, MOST));
  const written = closed
    .map(({ row, ids }) => ({ row, trades: trades.filter(({ id }) => ids.includes(id)) }))
    .filter((position) => hasTexts(position.trades, position.row.isGroup));
  if (written.length === 0) return null;

  return (
    <Card title="Notes on the day's trades" class="wide day-notes" isBusy={isLoading}>
      {written.map(({ row, trades }) => (
        <Notes
          key={`${row.kind} ${row.id}`}
          isGroup={row.isGroup}
          trades={trades}
          heading={
            <h3>
              <a href={row.href}>{row.name}</a>
            </h3>
          }
        />
      ))}
      {ids.length > MOST && <p class="fine">Of the first {MOST} trades.</p>}
    </Card>
  );
}

/** Trades with what was written about them, as far as they have been answered. */
export function useDetails(ids: readonly string[]): {
  trades: TradeDetail[];
  isLoading: boolean;
} {
  const { api } = useSession();
  // One request at a time: each answer draws this again.
  const next = ids.find((id) => api.remembered(pathOf(id)) === undefined);
  const { isLoading } = useResponse(next === undefined ? null : pathOf(next));
  const trades = ids.flatMap(
    (id) => api.remembered<{ data: TradeDetail }>(pathOf(id))?.data ?? [],
  );
  return { trades, isLoading };
}

const pathOf = (id: string) => `trades/${encodeURIComponent(id)}`;

type Trades = readonly TradeDetail[];

export const textsOf = (trades: Trades, isGroup = false) =>
  [isGroup ? trades[0]?.group?.notes : null, ...trades.map(({ notes }) => notes)].flatMap(
    (text) => (text ? [text] : []),
  );

export const entriesOf = (trades: Trades) => [
  ...(trades[0]?.group_journals ?? []),
  ...trades.flatMap(({ journals }) => journals ?? []),
];

const picturesOf = (trades: Trades) =>
  trades.flatMap(({ attachments }) => attachments ?? []);

function hasTexts(trades: Trades, isGroup = false): boolean {
  const all = [textsOf(trades, isGroup), entriesOf(trades), picturesOf(trades)];
  return all.some(({ length }) => length > 0);
}

interface NotesProps {
  heading: ComponentChildren;
  /** One trade, or the legs of a group. */
  trades: Trades;
  isGroup?: boolean | undefined;
}

/** Notes, pictures and entries of a trade, or of a group and its legs. */
export function Notes({ heading, trades, isGroup }: NotesProps) {
  if (!hasTexts(trades, isGroup)) return null;

  return (
    <section class="feed stack trade-notes">
      {heading}
      {textsOf(trades, isGroup).map((text) => (
        <Text key={text} text={text} />
      ))}
      <Attachments attachments={picturesOf(trades)} />
      {entriesOf(trades).map((entry) => (
        <EntryItem key={entry.id} entry={entry} />
      ))}
    </section>
  );
}
