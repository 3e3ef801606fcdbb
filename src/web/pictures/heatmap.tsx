/** Net P&L by weekday and hour of entry, as a table. */

import { plural, toneOf } from '../format.ts';
import { useSession, useUnit } from '../session.ts';
import { useWidth } from './plot.tsx';

export interface HourRow {
  weekday: number;
  hour: number;
  trades: number;
  net_pnl: number;
}

/**
 * Pixels per hour; if they don't fit, weekdays become columns and hours rows, else
 * amounts short.
 */
const HOUR_WIDTH = 46;

export function Heatmap({ rows }: { rows: readonly HourRow[] }) {
  const { format } = useSession();
  const [frame, width] = useWidth<HTMLDivElement>();
  const hours = rangeOf(rows.map((row) => row.hour)).map((hour) => ({
    at: hour,
    name: format.hour(hour),
  }));
  const weekdays = rangeOf([1, 5, ...rows.map((row) => row.weekday)]).map((weekday) => ({
    at: weekday,
    name: format.weekday(weekday),
  }));
  const isUpright = width < (hours.length + 2) * HOUR_WIDTH;
  const [down, across] = isUpright ? [hours, weekdays] : [weekdays, hours];
  const cells = new Map(
    rows.map((row) => [
      isUpright ? `${row.hour} ${row.weekday}` : `${row.weekday} ${row.hour}`,
      row,
    ]),
  );
  const largest = Math.max(...rows.map((row) => Math.abs(row.net_pnl)), 1e-9);
  const isNarrow = width < (across.length + 2) * HOUR_WIDTH;
  const write = isNarrow ? format.cellGain : format.bareGain;

  return (
    <div ref={frame}>
      <table class="heatmap" style={{ '--most': `${(across.length + 2) * 110}px` }}>
        <caption class="unseen">Net P&amp;L by weekday and hour of entry</caption>
        <Columns across={across} />
        <tbody>
          {down.map(({ at, name }) => (
            <tr key={at}>
              <th scope="row">{name}</th>
              {across.map((other) => (
                <Cell
                  key={other.at}
                  row={cells.get(`${at} ${other.at}`)}
                  largest={largest}
                  write={write}
                />
              ))}
              <Total
                rows={rows.filter((row) => (isUpright ? row.hour : row.weekday) === at)}
                write={write}
              />
            </tr>
          ))}
          <tr>
            <th scope="row" class="muted">
              Total
            </th>
            {across.map(({ at }) => (
              <Total
                key={at}
                rows={rows.filter((row) => (isUpright ? row.weekday : row.hour) === at)}
                write={write}
              />
            ))}
            <Total rows={rows} write={write} />
          </tr>
        </tbody>
      </table>
    </div>
  );
}

/** An hour or a weekday. */
interface Tick {
  at: number;
  name: string;
}

function Columns({ across }: { across: readonly Tick[] }) {
  return (
    <thead>
      <tr>
        <td />
        {across.map(({ at, name }) => (
          <th scope="col" key={at}>
            {name}
          </th>
        ))}
        <th scope="col" class="muted">
          Total
        </th>
      </tr>
    </thead>
  );
}

interface Written {
  /** Formats its amount. */
  write: (amount: number) => string;
}

function Total({ rows, write }: Written & { rows: readonly HourRow[] }) {
  const { format } = useSession();
  const unit = useUnit();
  if (rows.length === 0) return <td />;

  const trades = rows.reduce((sum, row) => sum + row.trades, 0);
  const sum = rows.reduce((all, row) => all + row.net_pnl, 0);

  return (
    <td class="muted" title={`${format.gain(sum)} in ${plural(trades, unit)}`}>
      {write(sum)}
    </td>
  );
}

function Cell({
  row,
  largest,
  write,
}: Written & { row: HourRow | undefined; largest: number }) {
  const { format } = useSession();
  const unit = useUnit();
  if (!row) return <td />;

  const strength = Math.round(12 + 68 * Math.sqrt(Math.abs(row.net_pnl) / largest));
  return (
    <td
      class={`tinted ${toneOf(row.net_pnl)}`}
      style={{ '--strength': `${strength}%` }}
      title={`${format.gain(row.net_pnl)} in ${plural(row.trades, unit)}`}
    >
      {write(row.net_pnl)}
    </td>
  );
}

function rangeOf(values: readonly number[]): number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return Array.from({ length: most - least + 1 }, (_, index) => least + index);
}
