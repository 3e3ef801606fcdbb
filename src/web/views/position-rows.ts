/** Rows of the table of trades: trades, or positions whose legs unfold. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { type Formats, INSTRUMENT_FIELDS, instrumentName } from '../format.ts';
import { hrefOf, type Place } from '../router.ts';
import { useSession } from '../session.ts';
import type { Page, Position, Trade } from '../types.ts';

/** Fields of the table that trades and positions have. */
export const RESULT_FIELDS = [
  'quantity',
  'entry_price',
  'exit_price',
  'currency',
  'net_pnl',
  'net_pnl_base',
  'r_multiple',
  'setup',
  'mistakes',
] as const;

/** The fields of a trade in the table. */
export const TRADE_FIELDS = [
  ...INSTRUMENT_FIELDS,
  'side',
  'status',
  'outcome',
  'executed_at',
  'closed_at',
  'has_time',
  'holding_seconds',
  ...RESULT_FIELDS,
] as const;

export type TradeRecord = Pick<Trade, 'id' | (typeof TRADE_FIELDS)[number]>;

export const POSITION_FIELDS = [
  'kind',
  'name',
  'underlying',
  'side',
  'status',
  'outcome',
  'opened_at',
  'closed_at',
  'has_time',
  'holding_seconds',
  'legs',
  ...RESULT_FIELDS,
] as const;

export type PositionRecord = Pick<Position, 'id' | (typeof POSITION_FIELDS)[number]>;

/** A row: absent values are hidden by the key, or a group has none. */
export interface TableRow
  extends Pick<
    TradeRecord,
    'id' | 'status' | 'outcome' | 'executed_at' | 'closed_at' | 'has_time' | 'currency'
  > {
  kind?: string;
  name: string;
  href: string;
  side: string | null;
  holding_seconds: number | null;
  quantity: number | null | undefined;
  entry_price: number | null | undefined;
  exit_price: number | null | undefined;
  net_pnl: number | null | undefined;
  net_pnl_base: number | null | undefined;
  r_multiple: number | null;
  setup: string | null;
  mistakes: readonly string[];
  /** Of a group, which unfolds to its legs. */
  isGroup?: boolean;
  isLeg?: boolean;
}

function rowOfTrade(trade: TradeRecord, format: Formats): TableRow {
  return {
    ...trade,
    kind: 'trade',
    name: instrumentName(trade, format),
    href: hrefOf('trades', {}, trade.id),
  };
}

export function rowOfPosition(position: PositionRecord, format: Formats): TableRow {
  const { id, kind, legs, opened_at } = position;
  const [leg] = legs;
  const isGroup = kind !== 'trade';

  return {
    ...position,
    name: isGroup || !leg ? nameOfGroup(position) : instrumentName(leg, format),
    href: hrefOf('trades', isGroup ? { kind } : {}, id),
    executed_at: opened_at,
    isGroup,
  };
}

/** The API's name; none if the key hides legs. */
export function nameOfGroup({
  name,
  underlying,
}: Pick<Position, 'name' | 'underlying'>): string {
  return name ?? underlying ?? 'Group of trades';
}

/** The query of the list of positions, by that of the list of trades. */
export function positionQuery({ sort, ...filters }: Record<string, string | undefined>) {
  return { ...filters, sort: sort === 'executed_at' ? undefined : sort };
}

export const countsPositions = ({ query }: Place) => query['unit'] === 'position';

/** Rows of a list of trades, each made once. */
export function useTradeRows(trades: readonly TradeRecord[]): readonly TableRow[] {
  const { format } = useSession();
  const rows = useRef(new WeakMap<TradeRecord, TableRow>());
  return useMemo(
    () =>
      trades.map((trade) => kept(rows.current, trade, () => rowOfTrade(trade, format))),
    [trades, format],
  );
}

/** Rows of a list of positions, each made once. */
export function usePositionRows(
  positions: readonly PositionRecord[],
): readonly TableRow[] {
  const { format } = useSession();
  const rows = useRef(new WeakMap<PositionRecord, TableRow>());
  return useMemo(
    () =>
      positions.map((own) => kept(rows.current, own, () => rowOfPosition(own, format))),
    [positions, format],
  );
}

function kept<K extends object, V>(values: WeakMap<K, V>, key: K, make: () => V): V {
  const value = values.get(key) ?? make();
  values.set(key, value);
  return value;
}

/** The legs of groups that are unfolded, by group, and what folds and unfolds them. */
export function useUnfolded(): {
  legsOf: (row: TableRow) => readonly TableRow[] | undefined;
  toggle: (row: TableRow) => void;
} {
  const { api, format } = useSession();
  const [legs, setLegs] = useState<ReadonlyMap<string, readonly TableRow[]>>(new Map());
  const set = (id: string, rows: readonly TableRow[] | undefined) =>
    setLegs((known) => {
      const next = new Map(known);
      if (rows) next.set(id, rows);
      else next.delete(id);
      return next;
    });

  return {
    legsOf: ({ id, isGroup }) => (isGroup ? legs.get(id) : undefined),
    toggle({ id }) {
      if (legs.has(id)) return set(id, undefined);
      set(id, []);
      api.ask<Page<TradeRecord>>(
        'trades',
        { group_id: id, order: 'asc', limit: 100, fields: TRADE_FIELDS.join(',') },
        ({ data }) =>
          set(
            id,
            data.map((trade) => ({ ...rowOfTrade(trade, format), isLeg: true })),
          ),
        () => set(id, undefined),
      );
    },
  };
}

/** Rows with the legs of those that are unfolded below them. */
export function withLegs(
  rows: readonly TableRow[],
  legsOf: (row: TableRow) => readonly TableRow[] | undefined,
): readonly TableRow[] {
  return rows.some((row) => legsOf(row))
    ? rows.flatMap((row) => [row, ...(legsOf(row) ?? [])])
    : rows;
}
