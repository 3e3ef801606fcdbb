/** Values to write beside an axis: what would be written over another is left out. @param y pixels of a value */
export function apart(values: readonly number[], y: (value: number) => number): number[] {
  const shown: number[] = [];
  for (const value of values) if (shown.every((other) => Math.abs(y(other) - y(value)) >= LINE)) shown.push(value);
  return shown;
}

const LINE = 14;
