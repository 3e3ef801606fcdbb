/** A picture drawn in SVG as wide as its card, with what it shows in words. */
import type { ComponentChildren } from 'preact';
import { useWidth } from '../components/use-width.ts';
import { useSession } from '../session.ts';

interface PlotProps {
  height: number;
  label: string;
  /** Draws it, once the width is known. */
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
  /** The most important first: one that would be written over another is omitted. */
  values: readonly number[];
  /** Pixels from the left at which the axis ends. */
  left: number;
  y: (value: number) => number;
}

/** Amounts left of a picture. */
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

/** Pixels that an axis of these amounts takes. */
export function widthOfAxis(values: readonly number[], axisMoney: (value: number) => string): number {
  return 12 + 7 * Math.max(...values.map((value) => axisMoney(value).length));
}
