/**
 * The curve of cumulative net P&L, or R if the key hides money, and the drawdown below it: by day or, of one day, by trade. Arrow
 * keys and the pointer move from step to step; the line above the curve shows the step.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { TableBehind } from '../components/table.tsx';
import { type Formats, instrumentName, plural, toneOf } from '../format.ts';
import { listen } from '../router.ts';
import { hidesMoney, useSession, useUnit } from '../session.ts';
import type { Daily, Trade } from '../types.ts';
import { extentOf, MoneyAxis, Plot, roundValues, widthOfAxis } from './plot.tsx';

const DAY_MS = 86_400_000;

/** Heights of the curve and of the drawdown. */
const WIDE = [236, 100] as const;
const NARROW = [200, 90] as const;
const PAPER = [215, 95] as const;
const PAPER_WIDTH = 880;

const TOP = 10;
const BETWEEN = 12;
const DATES = 32;
const RIGHT = 22;

/** Steps that a key moves by. */
const STEPS: Record<string, number> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -20,
  PageDown: 20,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

export interface Step {
  name: string;
  longName: string;
  /** On the axis. */
  tick: string;
  /** Place on the axis: milliseconds, or days numbered for trades. */
  at: number;
  /** In the base currency, or in R. */
  result: number;
  total: number;
  /** At least 0. */
  drawdown: number;
  trades: number;
}

/** @param isInR results in R, days without any as 0 */
export function dailySteps(daily: readonly Daily[], format: Formats, isInR: boolean): Step[] {
  const inR = accumulated(daily.map(({ total_r }) => total_r ?? 0));
  return daily.map((day, index) => ({
    ...{ name: format.day(day.date), longName: format.longDay(day.date), tick: format.shortDay(day.date) },
    ...{ at: Date.parse(day.date), trades: day.trades },
    ...(isInR
      ? (inR[index] as Accumulated)
      : { result: day.net_pnl, total: day.cumulative_net_pnl, drawdown: day.drawdown }),
  }));
}

/** @param trades of one day, in the order of their closing */
export function tradeSteps(
  trades: readonly (Pick<Trade, 'closed_at' | 'net_pnl_base' | 'r_multiple'> & Parameters<typeof instrumentName>[0])[],
  format: Formats,
  isInR: boolean,
): Step[] {
  const results = accumulated(trades.map(({ net_pnl_base, r_multiple }) => (isInR ? r_multiple : net_pnl_base) ?? 0));
  return trades.map((trade, index) => {
    const tick = format.shortTime(trade.closed_at);
    const name = `${tick} ${instrumentName(trade, format)}`;
    return { ...(results[index] as Accumulated), name, longName: name, tick, at: index * DAY_MS, trades: 1 };
  });
}

type Accumulated = Pick<Step, 'result' | 'total' | 'drawdown'>;

function accumulated(results: readonly number[]): Accumulated[] {
  let [total, high] = [0, 0];
  return results.map((result) => {
    total += result;
    high = Math.max(high, total);
    return { result, total, drawdown: high - total };
  });
}

interface EquityCurveProps {
  steps: readonly Step[];
  /** What a step is. */
  by: 'day' | 'trade';
}

export function EquityCurve({ steps, by }: EquityCurveProps) {
  const { format, me, isReport } = useSession();
  const unit = useUnit();
  const [at, setAt] = useState<number | null>(null);
  const isOnPaper = useIsOnPaper();
  const points = useMemo(() => pointsOf(steps), [steps]);
  const shown = Math.min(at ?? steps.length - 1, steps.length - 1);
  const step = steps[shown];
  const isInR = hidesMoney(me);
  const gain = isInR ? format.r : format.gain;
  const fall = (drawdown: number | undefined) => (isInR ? format.r(-(drawdown ?? 0)) : format.money(drawdown));
  const heightsAt = (width: number) => (isOnPaper ? PAPER : width < 520 ? NARROW : WIDE);

  const move = (event: KeyboardEvent) => {
    const by = STEPS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    setAt(Math.min(Math.max(shown + by, 0), steps.length - 1));
  };
  const slider = {
    ...({ role: 'slider' } as const),
    ...{ tabIndex: 0, 'aria-label': `Equity curve, ${by} by ${by}`, onKeyDown: move },
    ...{ 'aria-valuemin': 1, 'aria-valuemax': steps.length, 'aria-valuenow': shown + 1 },
    'aria-valuetext': step ? `${step.longName}: ${gain(step.total)}, that ${by} ${gain(step.result)}` : '',
  } as const;

  return (
    <>
      <p class="reading">
        <span>{step?.name ?? ''}</span>
        <strong class={toneOf(step?.total)}>{gain(step?.total)}</strong>
        <span>
          that {by} <span class={toneOf(step?.result)}>{gain(step?.result)}</span>
          {by === 'day' && ` in ${plural(step?.trades ?? 0, unit)}`}
        </span>
        <span>
          drawdown <span class={step?.drawdown ? 'loss' : 'even'}>{fall(step?.drawdown)}</span>
        </span>
      </p>
      <div class="curve" {...(isReport ? {} : slider)}>
        <Plot
          {...(isOnPaper ? { width: PAPER_WIDTH } : {})}
          isWide
          height={(width) => heightsAt(width)[0] + heightsAt(width)[1]}
          label="Equity curve and drawdown"
        >
          {(width) => (
            <Curves
              {...{ points, at, width }}
              onStep={setAt}
              heights={heightsAt(width)}
              ticks={by === 'trade' ? steps.map(({ tick }) => tick) : undefined}
              axis={isInR ? format.decimal : format.axisMoney}
            />
          )}
        </Plot>
      </div>
      <TableBehind
        caption={`Equity curve: the ${by}s${by === 'day' ? ' with trades' : ''}`}
        columns={[by === 'day' ? 'Day' : 'Trade', 'Trades', isInR ? 'R' : 'Net P&L', 'Cumulative', 'Drawdown']}
        rows={() =>
          steps.map((row) => [
            row.name,
            format.count(row.trades),
            gain(row.result),
            gain(row.total),
            fall(row.drawdown),
          ])
        }
      />
    </>
  );
}

/** The start, at 0 before the first step, then each step. */
interface Points {
  times: number[];
  equity: number[];
  drawdown: number[];
}

function pointsOf(steps: readonly Step[]): Points {
  return {
    times: [(steps[0]?.at ?? 0) - DAY_MS, ...steps.map(({ at }) => at)],
    equity: [0, ...steps.map(({ total }) => total)],
    drawdown: [0, ...steps.map(({ drawdown }) => -drawdown)],
  };
}

interface CurvesProps {
  points: Points;
  /** The marked step: 0 is the first. */
  at: number | null;
  onStep: (index: number | null) => void;
  /** Of trades; those of days are dates. */
  ticks: readonly string[] | undefined;
  axis: (value: number) => string;
  width: number;
  heights: readonly [curve: number, drawdown: number];
}

function Curves({ points, at, onStep, ticks, axis, width, heights: [above, below] }: CurvesProps) {
  const { format } = useSession();
  const { times, equity, drawdown } = points;
  const bottom = above + below - DATES;
  const equityScale = scaleOf(equity, TOP, above - BETWEEN, 48);
  const drawdownScale = scaleOf(drawdown, above, bottom, 22);
  const left = widthOfAxis([...equityScale.values, ...drawdownScale.values], axis);
  const [first, last] = [times[0] as number, times.at(-1) as number];
  const x = (time: number) => left + ((time - first) / (last - first || 1)) * Math.max(0, width - left - RIGHT);
  const splits = ticks ? tradeSplits(times, width) : dateSplits(first, last, width);
  const labels = ticks ? splits.map((time) => ticks[times.indexOf(time) - 1]) : dateLabels(splits, format);
  const marked = at === null || at + 1 >= times.length ? null : at + 1;

  const follow = (event: PointerEvent) => {
    const from = (event.currentTarget as SVGElement).ownerSVGElement?.getBoundingClientRect().left ?? 0;
    onStep(Math.max(0, nearest(times, event.clientX - from, x) - 1));
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
      <MoneyAxis values={equityScale.values} left={left} y={equityScale.y} write={axis} />
      {/* The drawdown's zero would be just below the curve's. */}
      <MoneyAxis
        {...{ left, y: drawdownScale.y, write: axis }}
        values={drawdownScale.values.filter((value) => value !== 0)}
      />
      {splits.map((time, index) => (
        <text
          key={time}
          x={x(time)}
          y={bottom + 22}
          text-anchor={ticks && index > 0 && index === splits.length - 1 ? 'end' : 'middle'}
        >
          {labels[index]}
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
        onPointerLeave={() => onStep(null)}
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

/** A line in steps, filled to zero. */
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

/** As many trades as have room for their time of closing. */
function tradeSplits(times: readonly number[], width: number): number[] {
  const every = Math.ceil(times.length / Math.max(2, Math.floor(width / 80)));
  return times.filter((_, index) => index > 0 && (index - 1) % every === 0);
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
  useEffect(() => listen({ beforeprint: () => setIsOnPaper(true), afterprint: () => setIsOnPaper(false) }), []);
  return isOnPaper;
}
