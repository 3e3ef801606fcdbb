/** Simulated net P&L: the median of all paths, and the band of 90 % of them. */
import { TableBehind } from '../components/table.tsx';
import { useSession } from '../session.ts';
import type { OutlookFigures } from '../types.ts';
import { extentOf, MoneyAxis, Plot, widthOfAxis } from './plot.tsx';

const HEIGHT = 200;
const BOTTOM = 22;
const TOP = 8;
const RIGHT = 8;

export function Fan({ path }: { path: OutlookFigures['simulation']['path'] }) {
  const { format } = useSession();
  const steps = [{ trades: 0, p5: 0, median: 0, p95: 0 }, ...path];
  const [least, most] = extentOf(steps.flatMap(({ p5, p95 }) => [p5, p95]));
  const left = widthOfAxis([least, 0, most], format.axisMoney);
  const last = steps.at(-1)?.trades || 1;
  const y = (value: number) => TOP + ((most - value) / (most - least || 1)) * (HEIGHT - TOP - BOTTOM);
  const end = path.at(-1);
  const draw = (width: number) => {
    const x = (trades: number) => left + (trades / last) * Math.max(0, width - left - RIGHT);
    const line = (of: 'p5' | 'median' | 'p95', order = steps) =>
      order.map((step) => `${x(step.trades)} ${y(step[of])}`).join('L');
    return (
      <>
        <path class="fan-band" d={`M${line('p5')}L${line('p95', [...steps].reverse())}Z`} />
        <line class="plot-zero" x1={left} x2={width - RIGHT} y1={y(0)} y2={y(0)} />
        <path class="fan-median" d={`M${line('median')}`} />
        <MoneyAxis values={[0, most, least]} left={left} y={y} />
        {[100, 200].map((trades) => (
          <text key={trades} x={x(trades)} y={HEIGHT - 4} text-anchor="middle">
            {trades} trades
          </text>
        ))}
      </>
    );
  };
  return (
    <>
      <Plot
        height={HEIGHT}
        label={`After ${last} trades: median ${format.gain(end?.median)}, nine in ten paths between ${format.gain(end?.p5)} and ${format.gain(end?.p95)}`}
      >
        {draw}
      </Plot>
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
