/** An SVG chart as wide as its card, with a text alternative. */
import type { ComponentChildren } from 'preact';
import { useWidth } from '../components/use-width.ts';
import { useSession } from '../session.ts';

interface PlotProps {
  height: number;
  label: string;
  /** Draws the chart when the width is known. */
  children: (width: number) => ComponentChildren;
}

export function Plot({ height, label, children }: PlotProps) {
  const [frame, width] = useWidth<HTMLDivElement>();
  return (
    <div ref={frame} class="plot">
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={label}>
          {children(width)}
        </svg>
      )}
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
}

/** Amounts to the left of a chart. */
export function MoneyAxis({ values, left, y }: MoneyAxisProps) {
  const { format } = useSession();
  const shown: number[] = [];
  for (const value of values)
    if (shown.every((other) => Math.abs(y(other) - y(value)) >= LINE_HEIGHT)) shown.push(value);
  return (
    <>
      {shown.map((value) => (
        <text key={value} x={left - 8} y={y(value) + 4} text-anchor="end">
          {format.axisMoney(value)}
        </text>
      ))}
    </>
  );
}

/** Width of an axis with these amounts, in pixels. */
export function widthOfAxis(values: readonly number[], axisMoney: (value: number) => string): number {
  return 12 + 7 * Math.max(...values.map((value) => axisMoney(value).length));
}
