/** Net P&L by weekday and hour of entry. The picture is a table by itself. */
import { Scroll } from '../components/scroll.tsx';
import { plural, toneOf } from '../format.ts';
import { useSession } from '../session.ts';

export interface HourRow {
  weekday: number;
  hour: number;
  trades: number;
  net_pnl: number;
}

export function Heatmap({ rows }: { rows: readonly HourRow[] }) {
  const { format } = useSession();
  if (rows.length === 0) return <p class="nothing">No trades in this window.</p>;
  const hours = rangeOf(rows.map((row) => row.hour));
  const weekdays = rangeOf([1, 5, ...rows.map((row) => row.weekday)]);
  const cells = new Map(rows.map((row) => [`${row.weekday} ${row.hour}`, row]));
  const largest = Math.max(...rows.map((row) => Math.abs(row.net_pnl)), 1e-9);
  return (
    <Scroll label="Net P&L by weekday and hour of entry">
      <table class="heatmap">
        <caption class="unseen">Net P&amp;L by weekday and hour of entry</caption>
        <thead>
          <tr>
            <td />
            {hours.map((hour) => (
              <th scope="col" key={hour}>
                {format.hour(hour)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weekdays.map((weekday) => (
            <tr key={weekday}>
              <th scope="row">{format.weekday(weekday)}</th>
              {hours.map((hour) => (
                <Cell key={hour} row={cells.get(`${weekday} ${hour}`)} largest={largest} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Cell({ row, largest }: { row: HourRow | undefined; largest: number }) {
  const { format } = useSession();
  if (!row) return <td />;
  const strength = Math.round(12 + 68 * Math.sqrt(Math.abs(row.net_pnl) / largest));
  return (
    <td
      class={toneOf(row.net_pnl)}
      style={{ '--strength': `${strength}%` }}
      title={`${format.gain(row.net_pnl)} in ${plural(row.trades, 'trade')}`}
    >
      {format.shortGain(row.net_pnl)}
    </td>
  );
}

function rangeOf(values: readonly number[]): number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return Array.from({ length: most - least + 1 }, (_, index) => least + index);
}
