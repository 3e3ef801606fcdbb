/** Trades by net P&L or by R, in equal steps. */
import type { ComponentChildren } from 'preact';
import { TableBehind } from '../components/table.tsx';
import { plural } from '../format.ts';
import { useResults } from '../results.ts';
import { useSession, useUnit } from '../session.ts';
import type { Row } from '../types.ts';
import { extentOf, roundStep } from './plot.tsx';

const MOST_STEPS = 14;

/** Trades by net P&L. */
export function Histogram({ values }: { values: readonly number[] }) {
  const { format } = useSession();
  const steps = stepsOf(values);
  const bars = steps.map(({ from, to, count }, index) => ({
    from,
    count,
    range: `${format.shortGain(from)} to ${format.shortGain(to)}`,
    name: isNamed(steps, index) ? format.axisMoney(from) : '',
  }));
  return <Bars caption="Trades by net P&L" of="Net P&L" bars={bars} />;
}

/** The first, zero and the last; not the first if zero is next to it. */
function isNamed(steps: readonly Step[], index: number): boolean {
  return (
    steps[index]?.from === 0 ||
    index === steps.length - 1 ||
    (index === 0 && steps[1]?.from !== 0)
  );
}

interface Step {
  from: number;
  to: number;
  count: number;
}

/** Steps of 1, 2 or 5 times a power of ten; one begins at 0. */
function stepsOf(values: readonly number[]): Step[] {
  const [least, most] = extentOf([0, ...values]);
  const width = roundStep((most - least || 1) / MOST_STEPS);
  const first = Math.floor(least / width);
  const counts = new Map<number, number>();

  for (const value of values) {
    const step = Math.floor(value / width);
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }

  const last = Math.max(first, Math.floor(most / width));
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const from = (first + index) * width;
    return { from, to: from + width, count: counts.get(first + index) ?? 0 };
  });
}

interface RHistogramProps {
  /** Keys are steps such as -1_to_-0.5, under_-5 and over_5; null without an R. */
  rows: readonly Row[];
  /** Trades without a risk, so without an R. */
  without: number;
}

const STEP = 0.5;

/** Trades by R, in steps of half an R. */
export function RHistogram({ rows, without }: RHistogramProps) {
  const { format } = useSession();
  const { isInR } = useResults();
  const unit = useUnit();
  if (rows.every(({ key }) => key === null))
    return (
      <p class="nothing">
        No trade in this period has a risk, so R is unknown. In a day note: stop_loss::
        25400, or risk:: 100
      </p>
    );

  const bars = withGaps(rows).map(({ from, trades, net_pnl }) => ({
    from,
    net_pnl,
    count: trades,
    range: `${from} to ${from + STEP} R`,
    name: Number.isInteger(from) ? format.count(from) : '',
  }));
  return (
    <Bars
      caption="Trades by R"
      of="R"
      bars={bars}
      {...(isInR
        ? {}
        : {
            more: { 'Net P&L': (bar: (typeof bars)[number]) => format.gain(bar.net_pnl) },
          })}
    >
      {without > 0 && (
        <p class="fine">Excludes {plural(without, unit)} without a risk.</p>
      )}
    </Bars>
  );
}

/** Includes empty steps, so that the axis is even. */
function withGaps(
  rows: readonly Row[],
): { from: number; trades: number; net_pnl: number }[] {
  const found = new Map(
    rows.flatMap((row) =>
      row.key === null ? [] : [[lowerBound(String(row.key)), row] as const],
    ),
  );
  const [least, most] = [Math.min(-1, ...found.keys()), Math.max(1, ...found.keys())];

  return Array.from({ length: Math.round((most - least) / STEP) + 1 }, (_, index) => {
    const from = least + index * STEP;
    const row = found.get(from);
    return { from, trades: row?.trades ?? 0, net_pnl: row?.net_pnl ?? 0 };
  });
}

function lowerBound(key: string): number {
  const [first = '', second = ''] = key.split('_');
  if (first === 'under') return Number(second) - STEP;
  return Number(first === 'over' ? second : first);
}

interface Bar {
  from: number;
  count: number;
  range: string;
  /** Its label on the axis. */
  name: string;
}

interface BarsProps<T> {
  caption: string;
  /** What the bars are steps of. */
  of: string;
  bars: readonly T[];
  /** More columns of the table. */
  more?: Readonly<Record<string, (bar: T) => string>>;
  /** Between the chart and its table. */
  children?: ComponentChildren;
}

function Bars<T extends Bar>({ caption, of, bars, more = {}, children }: BarsProps<T>) {
  const { format } = useSession();
  const most = Math.max(...bars.map(({ count }) => count), 1);

  return (
    <>
      <div class="histogram" aria-hidden="true">
        {bars.map(({ from, count, range, name }) => (
          <div
            key={from}
            class={`histogram-step ${from < 0 ? 'loss' : 'gain'}`}
            title={`${range}: ${count}`}
          >
            <span class="muted">{count > 0 ? format.count(count) : ''}</span>
            <span class="histogram-bar" style={{ '--share': count / most }} />
            <span class="histogram-name muted">{name}</span>
          </div>
        ))}
      </div>
      {children}
      <TableBehind
        caption={caption}
        columns={{
          [of]: ({ range }) => range,
          Trades: ({ count }) => format.count(count),
          ...more,
        }}
        rows={bars}
      />
    </>
  );
}
