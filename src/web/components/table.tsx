/** Tables by their columns, and lists of facts. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { toneOf } from '../format.ts';
import { useResults } from '../results.ts';
import { useSession } from '../session.ts';

export interface Column<T> {
  name: ComponentChildren;
  /** Of the heading and the cells: number, optional. */
  class?: string;
  /** Whether its cells are the headings of their rows. */
  isHeading?: boolean;
  write: (row: T) => ComponentChildren;
  tone?: (row: T) => string;
}

interface TableProps<T> {
  caption: string;
  /** Default: for screen readers only. */
  captionClass?: string;
  class?: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
}

export function Table<T>({
  caption,
  captionClass = 'unseen',
  class: kind = 'plain',
  columns,
  rows,
}: TableProps<T>) {
  return (
    <table class={kind}>
      <caption class={captionClass}>{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, class: of }, at) => (
            <th scope="col" class={of} key={at}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {columns.map(({ class: of, isHeading, write, tone }, at) =>
              isHeading ? (
                <th scope="row" class={of} key={at}>
                  {write(row)}
                </th>
              ) : (
                <td class={tone ? `${of ?? ''} ${tone(row)}` : of} key={at}>
                  {write(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What a trade or position made; absent amounts are hidden, or of several currencies. */
interface Result {
  net_pnl?: number | null | undefined;
  r_multiple: number | null;
  currency?: string;
}

/** The net P&L of a trade, in its currency; no column if the key hides money. */
export function useNetColumn(): Column<Pick<Result, 'net_pnl' | 'currency'>>[] {
  const { format } = useSession();
  const { isInR } = useResults();
  if (isInR) return [];

  return [
    {
      name: 'Net P&L',
      class: 'number',
      write: ({ net_pnl, currency }) => format.gain(net_pnl, currency),
      tone: ({ net_pnl }) => toneOf(net_pnl),
    },
  ];
}

/** R and net P&L of a trade. */
export function useResultColumns(): Column<Result>[] {
  const { format } = useSession();
  const { isInR } = useResults();
  const r = ({ r_multiple }: Pick<Result, 'r_multiple'>) =>
    isInR ? toneOf(r_multiple) : '';
  return [
    {
      name: 'R',
      class: 'number',
      write: ({ r_multiple }) => format.r(r_multiple),
      tone: r,
    },
    ...useNetColumn(),
  ];
}

/** Content that may exceed its box, scrollable by keyboard. */
export function Scroll({
  label,
  children,
}: {
  label: string;
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, keyboard users can't scroll
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

interface TableBehindProps<T> {
  caption: string;
  /** By name; the first cells are the headings of their rows. */
  columns: Readonly<Record<string, (row: T) => string>>;
  rows: readonly T[];
}

/**
 * A chart's figures as a table, for screen readers and for exact numbers. Its rows are
 * rendered when it is opened.
 */
export function TableBehind<T>({ caption, columns, rows }: TableBehindProps<T>) {
  const { isReport = false } = useSession();
  const [isOpen, setOpen] = useState(isReport);
  const shown = Object.entries(columns).map(([name, write], at) => ({
    name,
    write,
    isHeading: at === 0,
  }));

  return (
    <details
      class="table-behind"
      onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}
    >
      <summary>
        Show as a table<span class="unseen">: {caption}</span>
      </summary>
      {isOpen && (
        <Scroll label={caption}>
          <Table caption={caption} columns={shown} rows={rows} />
        </Scroll>
      )}
    </details>
  );
}

export type Fact = readonly [name: string, value: ComponentChildren];

/** Names and values; null and a dash are omitted. */
export function FactList({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts stack">
      {facts
        .filter(([, value]) => value !== null && value !== '–')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
