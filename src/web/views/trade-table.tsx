/** The table of trades. Only visible rows are rendered. */
import type { ComponentChildren, RefObject, VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Unfold } from '../components/unfold.tsx';
import { type Formats, toneOf } from '../format.ts';
import { hrefOf, listen, type Place } from '../router.ts';
import { useSession } from '../session.ts';
import { EmptyJournal } from './no-figures.tsx';
import {
  countsPositions,
  type TableRow,
  useUnfolded,
  withLegs,
} from './position-rows.ts';
import type { Pages } from './use-pages.ts';

interface Column {
  name: string;
  /** The API's sort field; undefined if it has none. */
  sort?: string;
  /**
   * On narrow screens, higher ranks disappear first: the style sheet has the widths of
   * the others, and their places in the two lines of a phone.
   */
  class: string;
  write: (trade: TableRow, format: Formats) => ComponentChildren;
  tone?: (trade: TableRow) => string;
}

const COLUMNS: readonly Column[] = [
  { name: 'Opened', sort: 'executed_at', class: 'opened', write: opened },
  { name: 'Symbol', class: 'text symbol', write: (trade) => trade.name },
  { name: 'Side', class: 'rank-1 side', write: (trade) => trade.side },
  {
    name: 'Quantity',
    class: 'number rank-3 money',
    write: (trade, format) => format.price(trade.quantity),
  },
  {
    name: 'Entry',
    class: 'number rank-3',
    write: (trade, format) => format.price(trade.entry_price),
  },
  {
    name: 'Exit',
    class: 'number rank-3',
    write: (trade, format) => format.price(trade.exit_price),
  },
  { name: 'Held', sort: 'holding_seconds', class: 'number rank-2 held', write: held },
  { name: 'Setup', class: 'text rank-1 setup', write: (trade) => trade.setup ?? '' },
  {
    name: 'Mistakes',
    class: 'text rank-4',
    write: (trade) => trade.mistakes.join(', '),
    tone: () => 'loss',
  },
  { name: 'R', sort: 'r_multiple', class: 'number r', write: r },
  {
    name: 'Net P&L',
    sort: 'net_pnl_base',
    class: 'number money net',
    write: net,
    tone: (trade) => toneOf(trade.net_pnl),
  },
];

function opened({ executed_at, has_time }: TableRow, format: Formats): ComponentChildren {
  return (
    <>
      {format.tableDay(executed_at)}{' '}
      <span class="time">{has_time ? format.shortTime(executed_at) : ''}</span>
    </>
  );
}

function held({ status, holding_seconds }: TableRow, format: Formats): string {
  return status === 'open' ? 'open' : format.shortDuration(holding_seconds);
}

function r({ r_multiple }: TableRow, format: Formats): string {
  return r_multiple === null ? '' : format.decimal(r_multiple);
}

/** In the trade's currency and, if it differs, in the base currency. */
function net(
  { net_pnl, net_pnl_base, currency }: TableRow,
  format: Formats,
): ComponentChildren {
  const native = format.gain(net_pnl, currency);
  if (net_pnl_base === net_pnl) return native;

  return (
    <span class="two-lines">
      <span>{native}</span>
      <span class="in-base muted">
        {net_pnl_base === null ? 'no exchange rate' : format.gain(net_pnl_base)}
      </span>
    </span>
  );
}

/** Pixels: of one line, and of two lines on a phone. The style sheet has the same. */
const ROW_HEIGHT = { wide: 40, narrow: 58 };
const NARROW = '(max-width: 640px)';

/** Rows before the end at which the next page is fetched. */
const AHEAD = 100;

export function TradeTable({ place, pages }: { place: Place; pages: Pages<TableRow> }) {
  const { hasMore, hint, isLoading, more, failure } = pages;
  const { format } = useSession();
  const { legsOf, toggle } = useUnfolded();
  const records = withLegs(pages.records, legsOf);
  const drawn = useDrawnRows(legsOf, toggle);
  const isByPosition = countsPositions(place);
  const emptyColumns = useMemo(() => emptyColumnsOf(records, format), [records, format]);
  const rowHeight = useRowHeight();
  const { body, first, end } = useVisibleRows(records.length, rowHeight);

  useEffect(() => {
    if (hasMore && !isLoading && end > records.length - AHEAD) more();
  });
  if (records.length === 0 && failure) return null;
  if (records.length === 0 && !isLoading) return <NoTrades hint={hint} />;

  return (
    <>
      <table
        class={`trades box ${emptyColumns}`}
        aria-rowcount={hasMore ? -1 : records.length + 1}
        aria-busy={isLoading}
      >
        <caption class="unseen">Trades; column headings sort the table</caption>
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <ColumnHead key={column.name} column={column} place={place} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {first > 0 && <Space height={first * rowHeight} />}
          {records.slice(first, end).map((trade, index) => drawn(trade, first + index))}
          {end < records.length && <Space height={(records.length - end) * rowHeight} />}
        </tbody>
      </table>
      <p class="fine table-end" role="status">
        {isLoading
          ? records.length > 0 && 'Loading …'
          : `${format.count(pages.records.length)}${hasMore ? ' and more' : ''} ${isByPosition ? 'positions' : 'trades'}`}
      </p>
    </>
  );
}

/**
 * The classes that hide amounts, holding time and R if no trade has one. In journals of
 * earlier versions, days without a time are at midnight.
 */
function emptyColumnsOf(records: readonly TableRow[], format: Formats): string {
  const hasTimes = records
    .slice(0, AHEAD)
    .some((own) => own.has_time && format.clock(own.executed_at) !== '00:00');
  const hasR = records.some(({ r_multiple }) => r_multiple !== null);
  // A key may hide money.
  const hasMoney = records.some(({ net_pnl }) => net_pnl !== undefined);
  const missing = [
    !hasTimes && 'without-times',
    !hasR && 'without-r',
    !hasMoney && records.length > 0 && 'without-money',
  ];

  return missing.filter(Boolean).join(' ');
}

function NoTrades({ hint }: { hint: string | undefined }) {
  const { me } = useSession();
  if (me.extent.trades === null) return <EmptyJournal />;
  return <p class="nothing">{hint ?? 'No trade matches these filters.'}</p>;
}

interface Unfolding {
  /** Undefined: it is no group. */
  isOpen: boolean | undefined;
  onToggle: () => void;
}

/** Each row is rendered once and reused: only new rows cost time while scrolling. */
function useDrawnRows(
  legsOf: (row: TableRow) => readonly TableRow[] | undefined,
  toggle: (row: TableRow) => void,
) {
  const rows = useRef(new WeakMap<TableRow, VNode>());
  return (trade: TableRow, index: number): VNode => {
    if (trade.isGroup) {
      const unfolding = {
        isOpen: legsOf(trade) !== undefined,
        onToggle: () => toggle(trade),
      };
      return (
        <TradeRow key={`group ${trade.id}`} trade={trade} index={index} {...unfolding} />
      );
    }

    const row = rows.current.get(trade) ?? (
      <TradeRow key={trade.id} trade={trade} index={index} />
    );
    rows.current.set(trade, row);
    return row;
  };
}

/** In place of the rows out of view. A position per row would cost a style per row. */
function Space({ height }: { height: number }) {
  return <tr class="space" style={{ height: `${height}px` }} />;
}

function useRowHeight(): number {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => listen({ resize: () => setNarrow(matchMedia(NARROW).matches) }), []);
  return isNarrow ? ROW_HEIGHT.narrow : ROW_HEIGHT.wide;
}

/**
 * Characters that fit every column; longer text may be clipped and shows in full on
 * hover.
 */
const FITS = 10;

function TradeRow({
  trade,
  index,
  isOpen,
  onToggle,
}: { trade: TableRow; index: number } & Partial<Unfolding>) {
  const { format } = useSession();
  return (
    <tr aria-rowindex={index + 2} class={`${trade.isLeg ? 'leg' : ''} ${trade.status}`}>
      {COLUMNS.map(({ name, class: of, write, tone }) => {
        const shown = write(trade, format);
        const title =
          typeof shown === 'string' && shown.length > FITS ? shown : undefined;

        return name === 'Symbol' ? (
          <th scope="row" class={of} key={name} title={title}>
            {onToggle && (
              <Unfold name={trade.name} isOpen={isOpen === true} onToggle={onToggle} />
            )}
            <a href={trade.href}>{shown}</a>
          </th>
        ) : (
          <td class={tone ? `${of} ${tone(trade)}` : of} key={name} title={title}>
            {shown}
          </td>
        );
      })}
    </tr>
  );
}

/** Sorts in descending order first, in ascending order on the second click. */
function ColumnHead({
  column: { name, sort, class: of },
  place: { query },
}: {
  column: Column;
  place: Place;
}) {
  if (sort === undefined) {
    return (
      <th scope="col" class={of}>
        {name}
      </th>
    );
  }

  const isSorted = (query['sort'] ?? 'executed_at') === sort;
  const order = isSorted ? (query['order'] ?? 'desc') : null;
  const next = order === 'desc' ? 'asc' : 'desc';
  const { sorted, arrow } = ORDERS[order ?? ''] ?? UNSORTED;

  return (
    <th scope="col" class={of} aria-sort={sorted}>
      <a href={hrefOf('trades', { ...query, sort, order: next })}>
        {name}
        <span class="arrow muted" aria-hidden="true">
          {arrow}
        </span>
      </a>
    </th>
  );
}

const UNSORTED = { sorted: 'none', arrow: '↕' } as const;

/** For screen readers, and for all others. */
const ORDERS: Readonly<
  Record<string, { sorted: 'ascending' | 'descending'; arrow: string }>
> = {
  asc: { sorted: 'ascending', arrow: '↑' },
  desc: { sorted: 'descending', arrow: '↓' },
};

/** Rows rendered beyond both edges, so that fast scrolling shows no gap. */
const BEYOND = 12;

interface VisibleRows {
  body: RefObject<HTMLTableSectionElement | null>;
  first: number;
  /** After the last. */
  end: number;
}

/**
 * The visible rows of a long table, so that only those are rendered. All rows have the
 * same height.
 */
function useVisibleRows(count: number, rowHeight: number): VisibleRows {
  const body = useRef<HTMLTableSectionElement>(null);
  const [shown, setShown] = useState({ first: 0, end: 60 });
  useEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      const top = -(body.current?.getBoundingClientRect().top ?? 0);
      const first = Math.max(0, Math.floor(top / rowHeight) - BEYOND);
      const end = Math.ceil((top + innerHeight) / rowHeight) + BEYOND;
      setShown((before) =>
        before.first === first && before.end === end ? before : { first, end },
      );
    };

    const later = () => {
      frame ||= requestAnimationFrame(look);
    };

    look();
    const stop = listen({ scroll: later, resize: later });

    return () => {
      cancelAnimationFrame(frame);
      stop();
    };
  }, [rowHeight]);

  return {
    body,
    first: Math.min(shown.first, Math.max(0, count - 1)),
    end: Math.min(Math.max(shown.end, 0), count),
  };
}
