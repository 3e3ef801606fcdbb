/**
 * Results in R against MAE (left) and MFE (right). A trade on the line kept its whole
 * MFE.
 */
import { useSession } from '../session.ts';
import { extentOf, linear, Plot } from './plot.tsx';

const HEIGHT = 260;
const MARGIN = 26;
/** Values beyond are drawn at the edge. */
const MOST_R = 6;

export interface Excursion {
  id: string;
  /** In R: MAE at most 0, MFE at least 0. */
  mae: number;
  mfe: number;
  r: number;
}

export function Excursions({ trades }: { trades: readonly Excursion[] }) {
  const { format } = useSession();
  const within = (value: number) => Math.max(-MOST_R, Math.min(MOST_R, value));
  const [least, most] = extentOf([
    -1,
    1,
    ...trades.flatMap(({ mae, mfe, r }) => [within(mae), within(mfe), within(r)]),
  ]);
  const y = linear(most, least, MARGIN, HEIGHT - MARGIN);
  const kept = trades.filter(({ r, mfe }) => r > 0 && mfe > 0);

  const draw = (width: number) => {
    const x = linear(least, most, MARGIN, Math.max(MARGIN, width - MARGIN));
    return (
      <>
        <line class="plot-zero" x1={MARGIN} x2={width - MARGIN} y1={y(0)} y2={y(0)} />
        <line class="plot-zero" x1={x(0)} x2={x(0)} y1={MARGIN} y2={HEIGHT - MARGIN} />
        <line class="plot-kept" x1={x(least)} x2={x(most)} y1={y(least)} y2={y(most)} />
        {trades.map(({ id, mae, mfe, r }) => (
          <g key={id} class={r < 0 ? 'loss' : 'gain'}>
            <title>{`${format.r(r)}, worst ${format.r(mae)}, best ${format.r(mfe)}`}</title>
            <circle
              class="plot-dot dot-mae"
              cx={x(within(mae))}
              cy={y(within(r))}
              r={3}
            />
            <circle class="plot-dot" cx={x(within(mfe))} cy={y(within(r))} r={3} />
          </g>
        ))}
        <text x={MARGIN} y={HEIGHT - 6}>
          MAE {format.decimal(least)} R
        </text>
        <text x={width - MARGIN} y={HEIGHT - 6} text-anchor="end">
          MFE {format.decimal(most)} R
        </text>
        <text x={x(0) + 6} y={14}>
          Result
        </text>
      </>
    );
  };

  return (
    <Plot
      height={HEIGHT}
      label={`${trades.length} trades: result in R against MAE and MFE in R; ${kept.length} winners with an MFE`}
    >
      {draw}
    </Plot>
  );
}
