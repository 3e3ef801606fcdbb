/** Trades by R, in steps of half an R. */
import { TableBehind } from '../components/table-behind.tsx';
import { hidesMoney, useSession } from '../session.ts';
import type { Row } from '../types.ts';

interface RHistogramProps {
  /** Keys are steps such as -1_to_-0.5, under_-5 and over_5; null without an R. */
  rows: readonly Row[];
  /** Trades without a risk, so without an R. */
  without: number;
}

const STEP = 0.5;

export function RHistogram({ rows, without }: RHistogramProps) {
  const { format, me } = useSession();
  if (rows.every(({ key }) => key === null))
    return (
      <p class="nothing">
        No trade in this period has a risk, so R is unknown. In a day note: stop_loss:: 25400, or risk:: 100
      </p>
    );
  const steps = withGaps(rows);
  const most = Math.max(...steps.map((step) => step.trades));
  return (
    <>
      <div class="histogram" aria-hidden="true">
        {steps.map(({ from, trades }) => (
          <div key={from} class={`histogram-step ${from < 0 ? 'loss' : 'gain'}`} title={`${nameOf(from)}: ${trades}`}>
            <span class="histogram-count">{trades > 0 ? format.count(trades) : ''}</span>
            <span class="histogram-bar" style={{ '--share': trades / most }} />
            <span class="histogram-name">{Number.isInteger(from) ? format.count(from) : ''}</span>
          </div>
        ))}
      </div>
      {without > 0 && <p class="fine">Excludes {format.count(without)} trades without a risk.</p>}
      <TableBehind
        caption="Trades by R"
        columns={['R', 'Trades', ...(hidesMoney(me) ? [] : ['Net P&L'])]}
        rows={() =>
          steps.map(({ from, trades, net_pnl }) => [
            nameOf(from),
            format.count(trades),
            ...(hidesMoney(me) ? [] : [format.gain(net_pnl)]),
          ])
        }
      />
    </>
  );
}

/** Includes empty steps, so that the axis is even. */
function withGaps(rows: readonly Row[]): { from: number; trades: number; net_pnl: number }[] {
  const found = new Map(rows.flatMap((row) => (row.key === null ? [] : [[lowerBound(String(row.key)), row] as const])));
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

function nameOf(from: number): string {
  return `${from} to ${from + STEP} R`;
}
