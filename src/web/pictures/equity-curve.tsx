/**
 * The curve of cumulative net P&L, and the drawdown below it. Arrow keys and the pointer move from day to day; the line above the
 * curve shows the day.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { TableBehind } from '../components/table-behind.tsx';
import { type Formats, plural, toneOf } from '../format.ts';
import { useSession } from '../session.ts';
import type { Daily } from '../types.ts';
import { extentOf, MoneyAxis, Plot, roundValues, widthOfAxis } from './plot.tsx';

const DAY_MS = 86_400_000;

/** Heights of the curve and of the drawdown. */
const WIDE = [260, 110] as const;
const NARROW = [200, 90] as const;
const PAPER = [156, 76] as const;
const PAPER_WIDTH = 1240;

const TOP = 10;
const BETWEEN = 12;
const DATES = 32;
const RIGHT = 22;

/** Days that a key moves by. */
const STEPS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -20,
  PageDown: 20,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

export function EquityCurve({ daily }: { daily: readonly Daily[] }) {
  const { format } = useSession();
  const [at, setAt] = useState<number | null>(null);
  const isOnPaper = useIsOnPaper();
  const points = useMemo(() => pointsOf(daily), [daily]);
  const shown = at ?? daily.length - 1;
  const day = daily[shown];
  const heightsAt = (width: number) => (isOnPaper ? PAPER : width < 520 ? NARROW : WIDE);

  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setAt(Math.min(Math.max(shown + step, 0), daily.length - 1));
  };

  return (
    <>
      <p class="reading">
        <span>{day ? format.day(day.date) : ''}</span>
        <strong class={toneOf(day?.cumulative_net_pnl)}>{format.gain(day?.cumulative_net_pnl)}</strong>
        <span>
          that day <span class={toneOf(day?.net_pnl)}>{format.gain(day?.net_pnl)}</span> in{' '}
          {plural(day?.trades ?? 0, 'trade')}
        </span>
        <span>
          drawdown <span class={day?.drawdown ? 'loss' : 'even'}>{format.money(day?.drawdown)}</span>
        </span>
      </p>
      <div
        class="curve"
        role="slider"
        tabIndex={0}
        aria-label="Equity curve, day by day"
        aria-valuemin={1}
        aria-valuemax={daily.length}
        aria-valuenow={shown + 1}
        aria-valuetext={
          day
            ? `${format.longDay(day.date)}: ${format.gain(day.cumulative_net_pnl)}, that day ${format.gain(day.net_pnl)}`
            : ''
        }
        onKeyDown={move}
      >
        <Plot
          {...(isOnPaper ? { width: PAPER_WIDTH } : {})}
          height={(width) => heightsAt(width)[0] + heightsAt(width)[1]}
          label="Equity curve and drawdown"
        >
          {(width) => <Curves points={points} at={at} onDay={setAt} width={width} heights={heightsAt(width)} />}
        </Plot>
      </div>
      <TableBehind
        caption="Equity curve: the days with trades"
        columns={['Day', 'Trades', 'Net P&L', 'Cumulative', 'Drawdown']}
        rows={() =>
          daily.map((row) => [
            format.day(row.date),
            format.count(row.trades),
            format.gain(row.net_pnl),
            format.gain(row.cumulative_net_pnl),
            format.money(row.drawdown),
          ])
        }
      />
    </>
  );
}

/** The start, at 0 on the day before the first, then each day. */
interface Points {
  /** Starts of days in UTC, in milliseconds. */
  times: number[];
  equity: number[];
  drawdown: number[];
}

function pointsOf(daily: readonly Daily[]): Points {
  const times = daily.map(({ date }) => Date.parse(date));
  return {
    times: [(times[0] ?? 0) - DAY_MS, ...times],
    equity: [0, ...daily.map((day) => day.cumulative_net_pnl)],
    drawdown: [0, ...daily.map((day) => -day.drawdown)],
  };
}

interface CurvesProps {
  points: Points;
  /** The marked day: 0 is the first. */
  at: number | null;
  onDay: (index: number | null) => void;
  width: number;
  heights: readonly [curve: number, drawdown: number];
}

function Curves({ points, at, onDay, width, heights: [above, below] }: CurvesProps) {
  const { format } = useSession();
  const { times, equity, drawdown } = points;
  const bottom = above + below - DATES;
  const equityScale = scaleOf(equity, TOP, above - BETWEEN, 48);
  const drawdownScale = scaleOf(drawdown, above, bottom, 22);
  const left = widthOfAxis([...equityScale.values, ...drawdownScale.values], format.axisMoney);
  const [first, last] = [times[0] as number, times.at(-1) as number];
  const x = (time: number) => left + ((time - first) / (last - first || 1)) * Math.max(0, width - left - RIGHT);
  const splits = dateSplits(first, last, width);
  const marked = at === null ? null : at + 1;

  const follow = (event: PointerEvent) => {
    const from = (event.currentTarget as SVGElement).ownerSVGElement?.getBoundingClientRect().left ?? 0;
    onDay(Math.max(0, nearest(times, event.clientX - from, x) - 1));
  };

  return (
    <>
      {[equityScale, drawdownScale].map(({ values, y }) =>
        values.map((value) => (
          <line key={y(value)} class="plot-line" x1={left} x2={width - RIGHT} y1={y(value)} y2={y(value)} />
        )),
      )}
      <Steps class="curve-equity" x={times.map(x)} y={equity.map(equityScale.y)} zero={equityScale.y(0)} />
      <Steps class="curve-drawdown" x={times.map(x)} y={drawdown.map(drawdownScale.y)} zero={drawdownScale.y(0)} />
      <MoneyAxis values={equityScale.values} left={left} y={equityScale.y} />
      {/* The drawdown's zero would be just below the curve's. */}
      <MoneyAxis values={drawdownScale.values.filter((value) => value !== 0)} left={left} y={drawdownScale.y} />
      {splits.map((time, index) => (
        <text key={time} x={x(time)} y={bottom + 22} text-anchor="middle">
          {dateLabels(splits, format)[index]}
        </text>
      ))}
      {marked !== null && (
        <>
          <line
            class="plot-zero"
            x1={x(times[marked] as number)}
            x2={x(times[marked] as number)}
            y1={TOP}
            y2={bottom}
          />
          <circle
            class="curve-equity"
            r={4}
            cx={x(times[marked] as number)}
            cy={equityScale.y(equity[marked] as number)}
          />
          <circle
            class="curve-drawdown"
            r={4}
            cx={x(times[marked] as number)}
            cy={drawdownScale.y(drawdown[marked] as number)}
          />
        </>
      )}
      <rect
        x={left}
        width={Math.max(0, width - left)}
        height={above + below}
        fill="transparent"
        onPointerMove={follow}
        onPointerLeave={() => onDay(null)}
      />
    </>
  );
}

interface Scale {
  /** Labelled amounts, 0 first. */
  values: number[];
  y: (value: number) => number;
}

/** @param space pixels between two labels at least */
function scaleOf(amounts: readonly number[], top: number, bottom: number, space: number): Scale {
  const [least, most] = extentOf(amounts);
  const y = (value: number) => top + ((most - value) / (most - least || 1)) * (bottom - top);
  return { values: roundValues(least, most, (bottom - top) / space), y };
}

interface StepsProps {
  class: string;
  x: readonly number[];
  y: readonly number[];
  zero: number;
}

/** A line with a step on each day with closed trades, filled to zero. */
function Steps({ class: name, x, y, zero }: StepsProps) {
  const line = `M${x[0]} ${y[0]}${x
    .slice(1)
    .map((at, index) => `H${at}V${y[index + 1]}`)
    .join('')}`;
  return (
    <g class={name}>
      <path class="curve-area" d={`${line}V${zero}H${x[0]}Z`} />
      <path d={line} />
    </g>
  );
}

/** Index of the point nearest to a distance from the left. */
function nearest(times: readonly number[], pixels: number, x: (time: number) => number): number {
  let best = 0;
  for (const [index, time] of times.entries())
    if (Math.abs(x(time) - pixels) < Math.abs(x(times[best] as number) - pixels)) best = index;
  return best;
}

/** Firsts of months or, for long periods, of years; days for short ones. */
function dateSplits(first: number, last: number, width: number): number[] {
  const room = Math.max(2, Math.floor(width / 80));
  const days = (last - first) / DAY_MS;
  const months = days / 30.4;
  if (months < 2.2) {
    const step = Math.max(1, Math.ceil(days / room)) * DAY_MS;
    return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
  }
  const every = [1, 2, 3, 6, 12, 24, 60].find((step) => months / step <= room) ?? 120;
  const splits: number[] = [];
  const date = new Date(first);
  for (let month = date.getUTCFullYear() * 12 + date.getUTCMonth(); ; month++) {
    const at = Date.UTC(Math.floor(month / 12), month % 12);
    if (at > last) return splits;
    if (at >= first && month % every === 0) splits.push(at);
  }
}

function dateLabels(splits: readonly number[], format: Formats): string[] {
  const areFirsts = splits.length > 1 && splits.every((at) => new Date(at).getUTCDate() === 1);
  return splits.map((at) => {
    if (!areFirsts) return format.shortDay(at);
    return new Date(at).getUTCMonth() === 0 ? format.year(at) : format.shortMonth(at);
  });
}

/** Whether the page is being printed. */
function useIsOnPaper(): boolean {
  const [isOnPaper, setIsOnPaper] = useState(false);
  useEffect(() => {
    const toPaper = () => setIsOnPaper(true);
    const fromPaper = () => setIsOnPaper(false);
    addEventListener('beforeprint', toPaper);
    addEventListener('afterprint', fromPaper);
    return () => {
      removeEventListener('beforeprint', toPaper);
      removeEventListener('afterprint', fromPaper);
    };
  }, []);
  return isOnPaper;
}
