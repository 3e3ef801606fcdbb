/**
 * What charts share: an SVG as wide as its card with a text alternative, its axis, and
 * the extent of values.
 */
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useSession } from '../session.ts';

interface PlotProps {
  height: number | ((width: number) => number);
  /** That of the card by default. */
  width?: number;
  /** Whether its card is as wide as the page. */
  isWide?: boolean;
  label: string;
  /** Draws the chart when the width is known. */
  children: (width: number) => ComponentChildren;
}

/**
 * Widths of a chart in a report, which has no script to measure: for a phone, half a
 * sheet and a whole one. The style sheet shows one.
 */
const REPORT_WIDTHS = { phone: 340, half: 560, whole: 900 };

export function Plot({
  height,
  width: fixed,
  isWide = false,
  label,
  children,
}: PlotProps) {
  const { isReport } = useSession();
  const [frame, room] = useWidth<HTMLDivElement>();
  const { phone, half, whole } = REPORT_WIDTHS;
  const widths = isReport ? [phone, isWide ? whole : half] : [fixed ?? room];

  return (
    <div ref={frame} class="plot">
      {widths
        .filter((width) => width > 0)
        .map((width) => {
          const pixels = typeof height === 'number' ? height : height(width);
          const box = `0 0 ${width} ${pixels}`;

          return (
            <svg
              key={width}
              width={width}
              height={pixels}
              viewBox={box}
              role="img"
              aria-label={label}
            >
              {children(width)}
            </svg>
          );
        })}
    </div>
  );
}

const LINE_HEIGHT = 14;

interface MoneyAxisProps {
  /** Most important first: overlapping labels are omitted. */
  values: readonly number[];
  /** Pixels from the left to the axis. */
  left: number;
  y: (value: number) => number;
  /** Default: amounts. */
  write?: (value: number) => string;
}

/** Amounts to the left of a chart. */
export function MoneyAxis({ values, left, y, write }: MoneyAxisProps) {
  const { format } = useSession();
  const text = write ?? format.axisMoney;
  const shown: number[] = [];
  for (const value of values)
    if (shown.every((other) => Math.abs(y(other) - y(value)) >= LINE_HEIGHT))
      shown.push(value);

  return (
    <>
      {shown.map((value) => (
        <text key={value} x={left - 8} y={y(value) + 4} text-anchor="end">
          {text(value)}
        </text>
      ))}
    </>
  );
}

/** The pixel of a value, between those of two others. */
export function linear(
  from: number,
  to: number,
  start: number,
  end: number,
): (value: number) => number {
  return (value) => start + ((value - from) / (to - from || 1)) * (end - start);
}

interface MoneyPlotProps {
  height: number;
  label: string;
  /** All amounts. */
  values: readonly number[];
  /** The greatest place on the axis below; 0 is the first. */
  last: number;
  /** Pixels below the chart, for labels. */
  bottom?: number;
  children: (
    x: (place: number) => number,
    y: (amount: number) => number,
  ) => ComponentChildren;
}

const EDGE = 10;

/** A chart of amounts, with the least, the greatest and a line at 0. */
export function MoneyPlot({
  height,
  label,
  values,
  last,
  bottom = EDGE,
  children,
}: MoneyPlotProps) {
  const { format } = useSession();
  const [least, most] = extentOf([0, ...values]);
  const left = widthOfAxis([least, most], format.axisMoney);
  const y = linear(most, least, EDGE, height - bottom);

  return (
    <Plot height={height} label={label}>
      {(width) => (
        <>
          <line class="plot-zero" x1={left} x2={width - EDGE} y1={y(0)} y2={y(0)} />
          {children(linear(0, last, left, Math.max(left, width - EDGE)), y)}
          <MoneyAxis values={[0, most, least]} left={left} y={y} />
        </>
      )}
    </Plot>
  );
}

/** Width of an axis with these amounts, in pixels. */
export function widthOfAxis(
  values: readonly number[],
  axisMoney: (value: number) => string,
): number {
  return 12 + 7 * Math.max(...values.map((value) => axisMoney(value).length));
}

/** The next 1, 2 or 5 times a power of ten. */
export function roundStep(exact: number): number {
  const power = 10 ** Math.floor(Math.log10(exact));
  return power * ([1, 2, 5].find((factor) => factor * power >= exact) ?? 10);
}

/**
 * 0 and the multiples of a round number from `least` to `most`, at most `count` steps of
 * 1, 2 or 5 times a power of ten.
 */
export function roundValues(least: number, most: number, count: number): number[] {
  const step = roundStep((most - least) / Math.max(1, count) || 1);
  const [first, last] = [Math.ceil(least / step), Math.floor(most / step)];
  const values = Array.from(
    { length: last - first + 1 },
    (_, index) => (first + index) * step,
  );
  return [0, ...values.filter((value) => value !== 0)];
}

/**
 * The least and the greatest of many numbers: as arguments of Math.min and Math.max they
 * could exceed the call stack.
 */
export function extentOf(values: Iterable<number>): [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return [least, most];
}

/**
 * The current width of an element in CSS pixels; 0 when it is first rendered, but not
 * when it is first painted.
 */
export function useWidth<T extends HTMLElement>(): [RefObject<T | null>, number] {
  const element = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observed = element.current as T;
    setWidth(observed.clientWidth);
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.floor(entry?.contentRect.width ?? 0)),
    );
    observer.observe(observed);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
