/** Simulated net P&L from now: the middle of all paths, and the band that nine in ten stay in. */
import { TableBehind } from '../components/table-behind.tsx';
import { useWidth } from '../components/use-width.ts';
import { useSession } from '../session.ts';
import type { OutlookFigures } from '../types.ts';
import { extentOf } from './extent.ts';
import { apart } from './labels.ts';

const HEIGHT = 200;
const BOTTOM = 22;
const TOP = 8;

export function Fan({ path }: { path: OutlookFigures['simulation']['path'] }) {
  const { format } = useSession();
  const [frame, width] = useWidth<HTMLDivElement>();
  const steps = [{ trades: 0, p5: 0, median: 0, p95: 0 }, ...path];
  const [least, most] = extentOf(steps.flatMap(({ p5, p95 }) => [p5, p95]));
  const ends = [least, 0, most];
  const left = 12 + 7 * Math.max(...ends.map((value) => format.axisMoney(value).length));
  const last = steps.at(-1)?.trades || 1;
  const x = (trades: number) => left + (trades / last) * Math.max(0, width - left - 8);
  const y = (value: number) => TOP + ((most - value) / (most - least || 1)) * (HEIGHT - TOP - BOTTOM);
  const line = (of: 'p5' | 'median' | 'p95', order = steps) =>
    order.map((step) => `${x(step.trades)} ${y(step[of])}`).join('L');
  const end = path.at(-1);
  return (
    <>
      <div ref={frame} class="plot">
        {width > 0 && (
          <svg
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={`After ${last} trades: median ${format.gain(end?.median)}, nine in ten paths between ${format.gain(end?.p5)} and ${format.gain(end?.p95)}`}
          >
            <path class="fan-band" d={`M${line('p5')}L${line('p95', [...steps].reverse())}Z`} />
            <line class="plot-zero" x1={left} x2={width - 8} y1={y(0)} y2={y(0)} />
            <path class="fan-median" d={`M${line('median')}`} />
            {apart([0, most, least], y).map((value) => (
              <text key={value} x={left - 8} y={y(value) + 4} text-anchor="end">
                {format.axisMoney(value)}
              </text>
            ))}
            {[100, 200].map((trades) => (
              <text key={trades} x={x(trades)} y={HEIGHT - 4} text-anchor="middle">
                {trades} trades
              </text>
            ))}
          </svg>
        )}
      </div>
      <TableBehind
        caption="Simulated net P&L from now"
        columns={['Trades', '5 % below', 'Median', '5 % above']}
        rows={() =>
          path.map(({ trades, p5, median, p95 }) => [
            format.count(trades),
            format.gain(p5),
            format.gain(median),
            format.gain(p95),
          ])
        }
      />
    </>
  );
}
