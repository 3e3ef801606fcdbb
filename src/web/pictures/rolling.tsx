/** The rolling mean of results, trade by trade. */
import { TableBehind } from '../components/table.tsx';
import { useSession } from '../session.ts';
import { extentOf, MoneyAxis, Plot, widthOfAxis } from './plot.tsx';

const HEIGHT = 180;
const MARGIN = 10;

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
  const left = widthOfAxis([least, most], format.axisMoney);
  const y = (value: number) => MARGIN + ((most - value) / (most - least || 1)) * (HEIGHT - 2 * MARGIN);
  const last = means.at(-1);
  const draw = (width: number) => {
    const x = (index: number) => left + (index / Math.max(1, means.length - 1)) * Math.max(0, width - left - MARGIN);
    return (
      <>
        <line class="plot-zero" x1={left} x2={width - MARGIN} y1={y(0)} y2={y(0)} />
        <path class="fan-median" d={`M${means.map((mean, index) => `${x(index)} ${y(mean)}`).join('L')}`} />
        <MoneyAxis values={[0, most, least]} left={left} y={y} />
      </>
    );
  };
  return (
    <>
      <Plot
        height={HEIGHT}
        label={`Mean net P&L of the last ${length} trades: ${format.gain(last)}, between ${format.gain(least)} and ${format.gain(most)} before`}
      >
        {draw}
      </Plot>
      <p class="fine">
        Now {format.gain(last)} per trade, over the last {format.count(results.length)} trades of the period.
      </p>
      <TableBehind
        caption={`Mean of ${length} trades`}
        columns={['Up to trade', 'Mean net P&L']}
        rows={() => means.map((mean, index) => [format.count(index + length), format.gain(mean)])}
      />
    </>
  );
}
