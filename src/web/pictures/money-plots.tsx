/** The rolling mean of results, trade by trade, and simulated results from now. */
import { TableBehind } from '../components/table.tsx';
import { useSession } from '../session.ts';
import type { OutlookFigures } from '../types.ts';
import { extentOf, MoneyPlot } from './plot.tsx';

interface RollingProps {
  /** Oldest first. */
  results: readonly number[];
  length: number;
}

export function Rolling({ results, length }: RollingProps) {
  const { format } = useSession();
  const means = Array.from({ length: results.length - length + 1 }, (_, first) =>
    results.slice(first, first + length).reduce((sum, value) => sum + value / length, 0),
  );
  const [least, most] = extentOf([0, ...means]);
  const last = means.at(-1);
  const [now, low, high] = [last, least, most].map((value) => format.gain(value));

  return (
    <>
      <MoneyPlot
        height={180}
        label={`Mean net P&L of the last ${length} trades: ${now}, between ${low} and ${high} before`}
        values={means}
        last={means.length - 1}
      >
        {(x, y) => (
          <path
            class="plot-curve accent"
            d={`M${means.map((mean, index) => `${x(index)} ${y(mean)}`).join('L')}`}
          />
        )}
      </MoneyPlot>
      <p class="fine">
        Now {format.gain(last)} per trade, over the last {format.count(results.length)}{' '}
        trades of the period.
      </p>
      <TableBehind
        caption={`Mean of ${length} trades`}
        columns={{
          'Up to trade': ({ trade }) => format.count(trade),
          'Mean net P&L': ({ mean }) => format.gain(mean),
        }}
        rows={means.map((mean, index) => ({ mean, trade: index + length }))}
      />
    </>
  );
}

/** The median of all simulated paths, and the band of 90 % of them. */
export function Fan({ path }: { path: OutlookFigures['simulation']['path'] }) {
  const { format } = useSession();
  const steps = [{ trades: 0, p5: 0, median: 0, p95: 0 }, ...path];
  const end = path.at(-1);
  const last = end?.trades || 1;
  const [median, low, high] = [end?.median, end?.p5, end?.p95].map((value) =>
    format.gain(value),
  );

  return (
    <>
      <MoneyPlot
        height={200}
        bottom={22}
        label={`After ${last} trades: median ${median}, nine in ten paths between ${low} and ${high}`}
        values={steps.flatMap(({ p5, p95 }) => [p5, p95])}
        last={last}
      >
        {(x, y) => {
          const line = (of: 'p5' | 'median' | 'p95', order = steps) =>
            order.map((step) => `${x(step.trades)} ${y(step[of])}`).join('L');
          return (
            <>
              <path
                class="plot-area accent"
                d={`M${line('p5')}L${line('p95', [...steps].reverse())}Z`}
              />
              <path class="plot-curve accent" d={`M${line('median')}`} />
              {[100, 200].map((trades) => (
                <text key={trades} x={x(trades)} y={196} text-anchor="middle">
                  {trades} trades
                </text>
              ))}
            </>
          );
        }}
      </MoneyPlot>
      <TableBehind
        caption="Simulated net P&L from now"
        columns={{
          Trades: ({ trades }) => format.count(trades),
          '5% below': ({ p5 }) => format.gain(p5),
          Median: ({ median }) => format.gain(median),
          '5% above': ({ p95 }) => format.gain(p95),
        }}
        rows={path}
      />
    </>
  );
}
