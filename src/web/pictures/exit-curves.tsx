/** Total R of these trades with fixed targets and stops, next to the actual total. */
import { TableBehind } from '../components/table-behind.tsx';
import { useSession } from '../session.ts';
import type { OutlookFigures } from '../types.ts';

type Exits = OutlookFigures['exits'];

interface ExitCurvesProps extends Pick<Exits, 'targets' | 'stops'> {
  /** The actual total R. */
  actual: number | null;
}

export function ExitCurves({ targets, stops, actual }: ExitCurvesProps) {
  const { format } = useSession();
  const rows = [
    { name: 'As it was', total_r: actual },
    ...targets.map(({ r, total_r }) => ({ name: `Target at ${format.decimal(r)} R`, total_r })),
    ...stops.map(({ r, total_r }) => ({ name: `Stop at ${format.decimal(r)} R`, total_r })),
  ];
  const known = rows.flatMap(({ total_r }) => (total_r === null ? [] : [Math.abs(total_r)]));
  const most = Math.max(...known, 1e-9);
  const written = (total: number | null) => (total === null ? 'unknown' : format.r(total));
  return (
    <>
      <div class="exit-bars" aria-hidden="true">
        {rows.map(({ name, total_r }) => (
          <div key={name} class="exit-bar">
            <span>{name}</span>
            <span class="bars-picture">
              <span
                class={`bar ${(total_r ?? 0) < 0 ? 'loss' : 'gain'}`}
                style={{ '--share': `${(Math.abs(total_r ?? 0) / most) * 50}%` }}
              />
            </span>
            <span class="number">{written(total_r)}</span>
          </div>
        ))}
      </div>
      <TableBehind
        caption="Sum of R with fixed exits"
        columns={['Exit', 'Sum of R']}
        rows={() => rows.map(({ name, total_r }) => [name, written(total_r)])}
      />
    </>
  );
}
