/**
 * The curve of cumulative realised P&L, or R if the key hides money, and the drawdown
 * below it: by day or, of one day, by exit or trade. Arrow keys and the pointer move from
 * step to step; the line above the curve shows the step.
 */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { TableBehind } from '../components/table.tsx';
import { type Accumulated, accumulated, type DayResult } from '../days.ts';
import { type Formats, plural, toneOf, word } from '../format.ts';
import { DAY_MS } from '../periods.ts';
import { type Results, useResults } from '../results.ts';
import { listen } from '../router.ts';
import { useSession, useUnit } from '../session.ts';
import type { Analytics } from '../types.ts';
import { extentOf, linear, MoneyAxis, Plot, roundValues, widthOfAxis } from './plot.tsx';

/** Heights of the curve and of the drawdown. */
const WIDE = [236, 100] as const;
const NARROW = [200, 90] as const;
const PAPER = [215, 95] as const;
const PAPER_WIDTH = 880;
/** A report has more than the curve on its first page. */
const REPORT = [176, 74] as const;

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
  /** On the axis, of a trade or an exit: days have dates there. */
  tick?: string;
  /** Place on the axis: milliseconds; of trades and exits, their number in days. */
  at: number;
  /** In the base currency, or in R. */
  result: number;
  total: number;
  /** At least 0. */
  drawdown: number;
  /** Exits or, in R, trades that it is made of. */
  count: number;
}

export function dailySteps(days: readonly DayResult[], format: Formats): Step[] {
  return days.map(({ date, result, total, drawdown, exits, trades }) => ({
    name: format.day(date),
    longName: format.longDay(date),
    at: Date.parse(date),
    result,
    total,
    drawdown,
    count: exits ?? trades,
  }));
}

interface ClosedInDay {
  name: string;
  closed_at: string | null;
  net_pnl_base?: number | null | undefined;
  r_multiple: number | null;
}

/** @param trades of one day, in the order of their closing */
export function tradeSteps(
  trades: readonly ClosedInDay[],
  format: Formats,
  results: Results,
): Step[] {
  const sums = accumulated(trades.map((trade) => results.ofTrade(trade) ?? 0));
  return trades.map(({ name: instrument, closed_at }, index) => {
    const tick = format.shortTime(closed_at);
    const name = `${tick} ${instrument}`;

    return {
      ...(sums[index] as Accumulated),
      name,
      longName: name,
      tick,
      at: index * DAY_MS,
      count: 1,
    };
  });
}

/**
 * Exits of one day, in their order.
 * @param trades closed on the day; one that closes at the only exit of an instant names
 * it
 */
export function exitSteps(
  steps: Analytics['realised_steps'],
  trades: readonly Pick<ClosedInDay, 'name' | 'closed_at'>[],
  format: Formats,
): Step[] {
  const closed = Map.groupBy(trades, ({ closed_at }) => closed_at);

  return steps.map(({ at, exits, net_pnl, cumulative_net_pnl, drawdown }, index) => {
    const tick = format.shortTime(at);
    const [trade, ...others] = closed.get(at) ?? [];
    const isItsExit = exits === 1 && others.length === 0 && trade !== undefined;
    const name = isItsExit ? `${tick} ${trade.name}` : tick;

    return {
      name,
      longName: name,
      tick,
      at: index * DAY_MS,
      result: net_pnl,
      total: cumulative_net_pnl,
      drawdown,
      count: exits,
    };
  });
}

/** An exit of a position, with what it realised in the base currency. */
export interface Exit {
  at: string;
  hasTime: boolean;
  name: string;
  realised: number;
}

/** @param exits of one position, in their order */
export function stepsOfExits(exits: readonly Exit[], format: Formats): Step[] {
  const sums = accumulated(exits.map(({ realised }) => realised));
  return exits.map(({ at, hasTime, name }, index) => {
    const time = hasTime ? format.shortInstant(at) : format.tableDay(at);
    return {
      ...(sums[index] as Accumulated),
      name: `${time} ${name}`,
      longName: `${time} ${name}`,
      tick: format.tableDay(at),
      at: index * DAY_MS,
      count: 1,
    };
  });
}

type Point = Pick<Step, 'at' | 'total' | 'drawdown'>;

/** What the table behind the curve calls a step. */
const NAMES = { day: 'Day', trade: 'Trade', exit: 'Exit' } as const;

export interface EquityCurveProps {
  steps: readonly Step[];
  /** What a step is. */
  by: 'day' | 'trade' | 'exit';
}

export function EquityCurve({ steps, by }: EquityCurveProps) {
  const { isReport } = useSession();
  const { gain, axis } = useResults();
  const [at, setAt] = useState<number | null>(null);
  const isOnPaper = useIsOnPaper();
  const points = useMemo(
    () => [{ at: (steps[0]?.at ?? 0) - DAY_MS, total: 0, drawdown: 0 }, ...steps],
    [steps],
  );
  const shown = Math.min(at ?? steps.length - 1, steps.length - 1);
  const step = steps[shown];

  const heightsAt = (width: number) => {
    if (isOnPaper) return PAPER;
    if (width < 520) return NARROW;
    return isReport ? REPORT : WIDE;
  };

  const move = (event: KeyboardEvent) => {
    const by = STEPS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    setAt(Math.min(Math.max(shown + by, 0), steps.length - 1));
  };

  const slider = {
    role: 'slider',
    tabIndex: 0,
    'aria-label': `Equity curve, ${by} by ${by}`,
    'aria-valuemin': 1,
    'aria-valuemax': steps.length,
    'aria-valuenow': shown + 1,
    'aria-valuetext': step
      ? `${step.longName}: ${gain(step.total)}, ${whichOf(step, by)} ${gain(step.result)}`
      : '',
    onKeyDown: move,
  } as const;

  return (
    <>
      <Reading step={step} by={by} />
      <div class="curve" {...(isReport ? {} : slider)}>
        <Plot
          {...(isOnPaper ? { width: PAPER_WIDTH } : {})}
          isWide
          height={(width) => heightsAt(width)[0] + heightsAt(width)[1]}
          label="Equity curve and drawdown"
        >
          {(width) => (
            <Curves
              points={points}
              at={at}
              width={width}
              onStep={setAt}
              heights={heightsAt(width)}
              ticks={by === 'day' ? undefined : steps.map(({ tick }) => tick)}
              axis={axis}
            />
          )}
        </Plot>
      </div>
      <TableOfSteps steps={steps} by={by} />
    </>
  );
}

type By = EquityCurveProps['by'];

function whichOf({ count }: Step, by: By): string {
  return by === 'exit' && count > 1 ? `those ${count} exits` : `that ${by}`;
}

function useCounted(): string {
  const { isInR } = useResults();
  const unit = useUnit();
  return isInR ? unit : 'exit';
}

/** The line above the curve: a step. */
function Reading({ step, by }: { step: Step | undefined; by: By }) {
  const { isInR, gain, fall } = useResults();
  const counted = useCounted();
  if (!step) return null;

  return (
    <p class="reading row muted">
      <span>{step.name}</span>
      <strong class={toneOf(step.total)}>{gain(step.total)}</strong>
      <span>
        {whichOf(step, by)} <span class={toneOf(step.result)}>{gain(step.result)}</span>
        {by === 'day' && ` in ${plural(step.count, counted)}`}
      </span>
      <span>
        {nameOfFall(by, isInR)}{' '}
        <span class={step.drawdown ? 'loss' : 'even'}>{fall(step.drawdown)}</span>
      </span>
    </p>
  );
}

/**
 * Of a day it is the largest, so that the curve has the drawdown of the figures; in R the
 * last.
 */
function nameOfFall(by: By, isInR: boolean): string {
  return by === 'day' && !isInR ? "day's largest drawdown" : 'drawdown';
}

function TableOfSteps({ steps, by }: EquityCurveProps) {
  const { format } = useSession();
  const { isInR, name, nameOfDays, gain, fall } = useResults();
  const counted = useCounted();

  return (
    <TableBehind
      caption={`Equity curve: the ${by}s${by === 'day' ? ` with ${counted}s` : ''}`}
      columns={{
        [NAMES[by]]: ({ name }) => name,
        [`${word(counted)}s`]: ({ count }) => format.count(count),
        [by === 'trade' ? name : nameOfDays]: ({ result }) => gain(result),
        Cumulative: ({ total }) => gain(total),
        [word(nameOfFall(by, isInR))]: ({ drawdown }) => fall(drawdown),
      }}
      rows={steps}
    />
  );
}

interface CurvesProps {
  /** The start, at 0 before the first step, then each step. */
  points: readonly Point[];
  /** The marked step: 0 is the first. */
  at: number | null;
  onStep: (index: number | null) => void;
  /** Of trades and exits; those of days are dates. */
  ticks: readonly (string | undefined)[] | undefined;
  axis: (value: number) => string;
  width: number;
  heights: readonly [curve: number, drawdown: number];
}

function Curves({
  points,
  at,
  onStep,
  ticks,
  axis,
  width,
  heights: [above, below],
}: CurvesProps) {
  const bottom = above + below - DATES;
  const times = points.map((point) => point.at);
  const parts = partsOf(points, above, bottom);
  const left = widthOfAxis(
    parts.flatMap(({ values }) => values),
    axis,
  );
  const [first, last] = [times[0] as number, times.at(-1) as number];
  const x = linear(first, last, left, Math.max(left, width - RIGHT));
  const marked = at === null || at + 1 >= times.length ? null : at + 1;

  const follow = (event: PointerEvent) => {
    const from =
      (event.currentTarget as SVGElement).ownerSVGElement?.getBoundingClientRect().left ??
      0;
    const distances = times.map((time) => Math.abs(x(time) - (event.clientX - from)));
    onStep(Math.max(0, distances.indexOf(extentOf(distances)[0]) - 1));
  };

  return (
    <>
      <Lines parts={parts} left={left} right={width - RIGHT} />
      {parts.map(({ tone, amounts, values, y }, index) => (
        <g key={tone} class={tone}>
          <Steps x={times.map(x)} y={amounts.map(y)} zero={y(0)} />
          {/* The drawdown's zero would be just below the curve's. */}
          <MoneyAxis
            left={left}
            y={y}
            write={axis}
            values={index === 0 ? values : values.filter((value) => value !== 0)}
          />
        </g>
      ))}
      <Ticks times={times} ticks={ticks} width={width} x={x} y={bottom + 22} />
      {marked !== null && (
        <Mark
          parts={parts}
          step={marked}
          x={x(times[marked] as number)}
          bottom={bottom}
        />
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

/** The curve, and the drawdown below it. */
function partsOf(points: readonly Point[], above: number, bottom: number) {
  const totals = points.map(({ total }) => total);
  const falls = points.map(({ drawdown }) => -drawdown);

  return [
    { tone: 'accent', ...scaleOf(totals, TOP, above - BETWEEN, 48) },
    { tone: 'loss', ...scaleOf(falls, above, bottom, 22) },
  ];
}

type CurveParts = ReturnType<typeof partsOf>;

interface LinesProps {
  parts: CurveParts;
  left: number;
  right: number;
}

function Lines({ parts, left, right }: LinesProps) {
  return parts.map(({ tone, values, y }) => (
    <g key={tone}>
      {values.map((value) => (
        <line
          key={value}
          class="plot-line"
          x1={left}
          x2={right}
          y1={y(value)}
          y2={y(value)}
        />
      ))}
    </g>
  ));
}

interface TicksProps extends Pick<CurvesProps, 'ticks' | 'width'> {
  times: readonly number[];
  x: (time: number) => number;
  y: number;
}

/** Dates or times below both. */
function Ticks({ times, ticks, width, x, y }: TicksProps) {
  const { format } = useSession();
  const [first, last] = [times[0] as number, times.at(-1) as number];
  const splits = ticks ? tradeSplits(times, width) : dateSplits(first, last, width);
  const labels = ticks
    ? splits.map((time) => ticks[times.indexOf(time) - 1])
    : dateLabels(splits, format);

  return splits.map((time, index) => (
    <text
      key={time}
      x={x(time)}
      y={y}
      text-anchor={ticks && index > 0 && index === splits.length - 1 ? 'end' : 'middle'}
    >
      {labels[index]}
    </text>
  ));
}

interface MarkProps {
  parts: CurveParts;
  step: number;
  x: number;
  bottom: number;
}

/** The step that the line above describes. */
function Mark({ parts, step, x, bottom }: MarkProps) {
  return (
    <g transform={`translate(${x})`}>
      <line class="plot-zero" y1={TOP} y2={bottom} />
      {parts.map(({ tone, amounts, y }) => (
        <circle
          key={tone}
          class={`plot-dot ${tone}`}
          r={4.5}
          cy={y(amounts[step] as number)}
        />
      ))}
    </g>
  );
}

/**
 * Amounts with their scale and those that are labelled, 0 first.
 * @param space pixels between two labels at least
 */
function scaleOf(amounts: readonly number[], top: number, bottom: number, space: number) {
  const [least, most] = extentOf(amounts);
  return {
    amounts,
    values: roundValues(least, most, (bottom - top) / space),
    y: linear(most, least, top, bottom),
  };
}

interface StepsProps {
  x: readonly number[];
  y: readonly number[];
  zero: number;
}

/** A line in steps, filled to zero. */
function Steps({ x, y, zero }: StepsProps) {
  const later = x.slice(1).map((at, index) => `H${at}V${y[index + 1]}`);
  const line = `M${x[0]} ${y[0]}${later.join('')}`;

  return (
    <>
      <path class="plot-area" d={`${line}V${zero}H${x[0]}Z`} />
      <path class="plot-curve" d={line} />
    </>
  );
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
    return Array.from(
      { length: Math.floor((last - first) / step) + 1 },
      (_, index) => first + index * step,
    );
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
  const areFirsts =
    splits.length > 1 && splits.every((at) => new Date(at).getUTCDate() === 1);
  return splits.map((at) => {
    if (!areFirsts) return format.shortDay(at);
    return new Date(at).getUTCMonth() === 0 ? format.year(at) : format.shortMonth(at);
  });
}

/** Whether the page is being printed. */
function useIsOnPaper(): boolean {
  const [isOnPaper, setIsOnPaper] = useState(false);
  useEffect(
    () =>
      listen({
        beforeprint: () => setIsOnPaper(true),
        afterprint: () => setIsOnPaper(false),
      }),
    [],
  );
  return isOnPaper;
}
