/** A table with bars to both sides of zero. */
import { type Formats, toneOf, word } from '../format.ts';
import { hidesMoney, useSession, useUnit } from '../session.ts';
import type { Row } from '../types.ts';

interface BarTableProps {
  caption: string;
  /** Heading of the first column. */
  of: string;
  rows: readonly Row[];
  nameOf?: (row: Row) => string;
  /** The list of a row's trades. */
  hrefOf?: (row: Row) => string | undefined;
  /** Maximum rows, the best and the worst; undefined for all. */
  most?: number;
}

export function BarTable({ caption, of, rows, nameOf = nameOfKey, hrefOf, most }: BarTableProps) {
  const { format, me } = useSession();
  const unit = useUnit();
  const inR = hidesMoney(me);
  // A mean of a few trades ranks nothing.
  const resultOf = (row: Row) => (inR ? (row.r_sample < LEAST_R ? 0 : row.average_r) : row.net_pnl) ?? 0;
  if (rows.length === 0) return <p class="nothing">No trades in this period.</p>;
  const shown = most === undefined || rows.length <= most ? rows : [...rows.slice(0, most - 3), ...rows.slice(-3)];
  const largest = rows.reduce((most, row) => Math.max(most, Math.abs(resultOf(row))), 1e-9);
  return (
    <>
      <table class="bars">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{of}</th>
            <th scope="col" class="bars-picture">
              <span class="unseen">Bar</span>
            </th>
            <th scope="col" class="number">
              {inR ? 'Mean R' : 'Net P&L'}
            </th>
            <th scope="col" class="number">
              {word(unit)}s
            </th>
            <th scope="col" class="number optional">
              Won
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <BarRow
              key={String(row.key)}
              row={row}
              name={nameOf(row)}
              href={hrefOf?.(row)}
              result={resultOf(row)}
              written={inR ? meanR(row, format) : format.gain(row.net_pnl)}
              share={resultOf(row) / largest}
            />
          ))}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <p class="fine">
          The best {shown.length - 3} and the worst 3 of {format.count(rows.length)}.
        </p>
      )}
    </>
  );
}

/** Minimum trades with a risk of a mean R with a bar. */
const LEAST_R = 5;

/** "+2.56 R in 2 of 11". */
function meanR({ average_r, r_sample, trades }: Row, format: Formats): string {
  return average_r === null ? format.r(null) : `${format.r(average_r)} in ${r_sample} of ${trades}`;
}

interface BarRowProps {
  row: Row;
  name: string;
  href: string | undefined;
  result: number;
  written: string;
  /** Of the largest result, with its sign. */
  share: number;
}

function BarRow({ row, name, href, result, written, share }: BarRowProps) {
  const { format } = useSession();
  const tone = toneOf(result);
  return (
    <tr>
      <th scope="row">
        <span class="bars-name" title={name}>
          {href === undefined ? name : <a href={href}>{name}</a>}
        </span>
      </th>
      <td class="bars-picture" aria-hidden="true">
        <span class={`bar ${tone}`} style={{ '--share': `${Math.abs(share) * 50}%` }} />
      </td>
      <td class={`number ${tone}`}>{written}</td>
      <td class="number">{format.count(row.trades)}</td>
      <td class="number optional">{format.percent(row.win_rate)}</td>
    </tr>
  );
}

function nameOfKey({ key }: Row): string {
  return key === null ? 'None' : String(key);
}
