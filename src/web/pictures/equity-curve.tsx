/**
 * The curve of cumulative net P&L, and the drawdown below it. Arrow keys and the pointer move from day to day; the line above the
 * curve shows the day.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { TableBehind } from '../components/table-behind.tsx';
import { type Formats, plural, toneOf } from '../format.ts';
import { useSession } from '../session.ts';
import type { Daily } from '../types.ts';
import { extentOf, useWidth } from './plot.tsx';

const DAY_S = 86_400;

/** Pixels per character of an axis label. */
const CHARACTER = 7;

/** Both plots on paper, at a smaller scale. */
const PAPER: readonly { width: number; height: number }[] = [
  { width: 1240, height: 156 },
  { width: 1240, height: 76 },
];

export function EquityCurve({ daily }: { daily: readonly Daily[] }) {
  const { format } = useSession();
  const [frame, width] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<number | null>(null);
  const points = useMemo(() => pointsOf(daily), [daily]);
  const day = daily[at ?? daily.length - 1];
  const plots = usePlots(frame, width, points, format, (index) =>
    setAt(index === null ? null : Math.max(0, index - 1)),
  );

  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20, Home: -1e9, End: 1e9 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(Math.max((at ?? daily.length - 1) + step, 0), daily.length - 1);
    setAt(next);
    plots.current?.[0]?.setCursor({ left: plots.current[0].valToPos(points.x[next + 1] as number, 'x'), top: 20 });
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
        ref={frame}
        class="curve"
        role="slider"
        tabIndex={0}
        aria-label="Equity curve, day by day"
        aria-valuemin={1}
        aria-valuemax={daily.length}
        aria-valuenow={(at ?? daily.length - 1) + 1}
        aria-valuetext={
          day
            ? `${format.longDay(day.date)}: ${format.gain(day.cumulative_net_pnl)}, that day ${format.gain(day.net_pnl)}`
            : ''
        }
        onKeyDown={move}
      />
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

interface Points {
  /** Seconds. */
  x: number[];
  equity: number[];
  drawdown: number[];
}

/** Starts at 0 on the day before the first. */
function pointsOf(daily: readonly Daily[]): Points {
  const x = daily.map(({ date }) => Date.parse(date) / 1000);
  return {
    x: [(x[0] ?? 0) - DAY_S, ...x],
    equity: [0, ...daily.map((day) => day.cumulative_net_pnl)],
    drawdown: [0, ...daily.map((day) => -day.drawdown)],
  };
}

/** Draws both plots into the frame, again if data, width or colours change. */
function usePlots(
  frame: { current: HTMLDivElement | null },
  width: number,
  points: Points,
  format: Formats,
  onDay: (index: number | null) => void,
) {
  const plots = useRef<uPlot[]>([]);
  const report = useRef(onDay);
  report.current = onDay;
  useEffect(() => {
    const element = frame.current;
    if (!element || width === 0) return;
    const isNarrow = width < 520;
    const heights = isNarrow ? [200, 90] : [260, 110];
    const common = {
      width,
      format,
      axisWidth: axisWidthOf(points, format),
      onDay: (index: number | null) => report.current(index),
    };
    const equity = {
      ...common,
      height: isNarrow ? 200 : 260,
      name: '--curve',
      fillName: '--curve-fill',
      withDates: false,
    };
    const drawdown = {
      ...common,
      height: heights[1] as number,
      name: '--loss',
      fillName: '--loss-fill',
      withDates: true,
    };
    plots.current = [
      new uPlot(optionsOf(equity), [points.x, points.equity], element),
      new uPlot(optionsOf(drawdown), [points.x, points.drawdown], element),
    ];
    const draw = (paper: boolean) => {
      for (const [index, plot] of plots.current.entries()) {
        plot.setSize(paper ? (PAPER[index] as (typeof PAPER)[number]) : { width, height: heights[index] as number });
        plot.redraw(false, true);
      }
    };
    const stop = onColoursChanged(draw);
    return () => {
      stop();
      for (const plot of plots.current) plot.destroy();
      plots.current = [];
    };
  }, [frame, width, points, format]);
  return plots;
}

/** Width of the longest amount on either axis, so that both plots are aligned. */
function axisWidthOf({ equity, drawdown }: Points, format: Formats): number {
  const ends = [...extentOf(equity), ...extentOf(drawdown)];
  return 10 + CHARACTER * Math.max(...ends.map((amount) => format.axisMoney(amount).length));
}

interface PlotSettings {
  width: number;
  height: number;
  axisWidth: number;
  /** The custom properties with its colours. */
  name: string;
  fillName: string;
  withDates: boolean;
  format: Formats;
  onDay: (index: number | null) => void;
}

function optionsOf({
  width,
  height,
  axisWidth,
  name,
  fillName,
  withDates,
  format,
  onDay,
}: PlotSettings): uPlot.Options {
  const line = () => colour('--line');
  const ink = () => colour('--muted');
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return {
    width,
    height,
    legend: { show: false },
    padding: [10, 22, withDates ? 0 : 6, 0],
    cursor: { sync: { key: 'equity', setSeries: false }, y: false, points: { size: 8 }, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor: { idx, left } }) => onDay(left === undefined || left < 0 ? null : (idx ?? null))] },
    scales: { x: { time: false } },
    series: [
      {},
      {
        stroke: () => colour(name),
        width: 2,
        // A step on each day with closed trades.
        paths: (uPlot.paths.stepped as (options: { align: 1 }) => uPlot.Series.PathBuilder)({ align: 1 }),
        fill: () => colour(fillName),
        points: { show: false },
      },
    ],
    axes: [
      {
        show: withDates,
        stroke: ink,
        font,
        size: 32,
        grid: { show: false },
        ticks: { show: false },
        space: 70,
        incrs: [1, 2, 7, 14, 30, 61, 91, 183, 365, 730].map((days) => days * DAY_S),
        splits: (plot, _axis, min, max) => dateSplits(min, max, plot.width),
        values: (_plot, splits) => dateLabels(splits, format),
      },
      {
        stroke: ink,
        font,
        size: axisWidth,
        grid: { stroke: line, width: 1 },
        ticks: { show: false },
        space: withDates ? 22 : 48,
        // The drawdown's zero would be just below the curve's.
        values: (_plot, splits) => splits.map((value) => (withDates && value === 0 ? '' : format.axisMoney(value))),
      },
    ],
  };
}

/** Firsts of months or, for long periods, of years; days for short ones. */
function dateSplits(min: number, max: number, width: number): number[] {
  const room = Math.max(2, Math.floor(width / 80));
  const days = (max - min) / DAY_S;
  const months = days / 30.4;
  if (months < 2.2) {
    const step = Math.max(1, Math.ceil(days / room)) * DAY_S;
    return Array.from({ length: Math.floor((max - min) / step) + 1 }, (_, index) => min + index * step);
  }
  const every = [1, 2, 3, 6, 12, 24, 60].find((step) => months / step <= room) ?? 120;
  const splits: number[] = [];
  const first = new Date(min * 1000);
  for (let month = first.getUTCFullYear() * 12 + first.getUTCMonth(); ; month++) {
    const at = Date.UTC(Math.floor(month / 12), month % 12) / 1000;
    if (at > max) return splits;
    if (at >= min && month % every === 0) splits.push(at);
  }
}

function dateLabels(splits: readonly number[], format: Formats): string[] {
  return splits.map((at) => {
    const date = new Date(at * 1000);
    if (date.getUTCDate() !== 1 || splits.length < 2) return format.shortDay(at * 1000);
    const isFirst = splits.every((other) => new Date(other * 1000).getUTCDate() === 1);
    if (!isFirst) return format.shortDay(at * 1000);
    return date.getUTCMonth() === 0 ? format.year(at * 1000) : format.shortMonth(at * 1000);
  });
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/**
 * Redraws a canvas when the colour scheme changes and for print, since it ignores the style sheet.
 * @param draw gets true for paper
 * @returns a function that stops it
 */
function onColoursChanged(draw: (paper: boolean) => void): () => void {
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const onScreen = () => requestAnimationFrame(() => draw(false));
  // The browser copies the canvas before the print styles apply, so the colours are set here.
  const toPaper = () => {
    document.documentElement.dataset['paper'] = '';
    draw(true);
  };
  const fromPaper = () => {
    delete document.documentElement.dataset['paper'];
    onScreen();
  };
  scheme.addEventListener('change', onScreen);
  addEventListener('beforeprint', toPaper);
  addEventListener('afterprint', fromPaper);
  return () => {
    scheme.removeEventListener('change', onScreen);
    removeEventListener('beforeprint', toPaper);
    removeEventListener('afterprint', fromPaper);
  };
}
