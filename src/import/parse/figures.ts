/** Figures typed in notes: 25,660.00, +$348, 0.5 %. Unlike numbers in exports, any common style is accepted. */

/** A number and its count of written decimals. */
export interface Figure {
  value: number;
  decimals: number;
}

/** No figure in a note is longer. */
const LONGEST = 40;

const FIGURE = /^([-+−–]?)[$€£¥]?([-+−–]?)(\d[\d.,' \u00a0]*)[$€£¥]?$/;

/** @returns undefined if the text isn't a figure */
export function figureIn(text: string): Figure | undefined {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST) return undefined;
  if (/^-?\d+(?:\.\d+)?e[-+]?\d+$/i.test(trimmed)) return { value: Number(trimmed), decimals: 20 };
  const [, first = '', second = '', digits = ''] = FIGURE.exec(trimmed) ?? [];
  if (digits === '' || (first !== '' && second !== '')) return undefined;
  const plain = withPoint(digits.replaceAll(/[' \u00a0]/g, ''));
  if (plain === undefined) return undefined;
  const isBelow = /[-−–]/.test(first + second);
  return { value: (isBelow ? -1 : 1) * Number(plain), decimals: plain.split('.')[1]?.length ?? 0 };
}

/** The last point or comma is the decimal separator, unless it is a comma before three digits or appears twice. */
function withPoint(digits: string): string | undefined {
  const last = /[.,](?=[^.,]*$)/.exec(digits)?.[0];
  if (last === undefined) return digits;
  const isThousands = digits.split(last).length > 2 || (last === ',' && /^\d{1,3}(?:[.,]\d{3})*,\d{3}$/.test(digits));
  const decimal = isThousands ? undefined : last;
  const [whole = '', decimals] = decimal === undefined ? [digits] : (digits.split(decimal) as [string, string]);
  const groups = whole.split(/[.,]/);
  if (groups.length > 1 && groups.slice(1).some((group) => group.length !== 3)) return undefined;
  return groups.join('') + (decimals === undefined ? '' : `.${decimals}`);
}

/** Whether a figure equals a value, to its written decimals. */
export function agrees({ value, decimals }: Figure, exact: number): boolean {
  const tolerance = 0.5 * 10 ** -decimals;
  return Math.abs(value - exact) <= tolerance + 1e-9 * Math.max(1, Math.abs(exact));
}
