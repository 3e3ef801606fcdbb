/** Bars to both sides of zero: as a table of results, and as total R with other exits. */
import { toneOf, word } from '../format.ts';
import { extentOf } from '../pictures/plot.tsx';
import { useResults } from '../results.ts';
import { useSession, useUnit } from '../session.ts';
import type { OutlookFigures, Row } from '../types.ts';
import { Table, TableBehind } from './table.tsx';

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

/**
 * Minimum trades with a risk of a mean R with a bar: a mean of a few trades ranks
 * nothing.
 */
const LEAST_R = 5;

export function BarTable({
  caption,
  of,
  rows,
  nameOf = nameOfKey,
  hrefOf,
  most = rows.length,
}: BarTableProps) {
  const { format } = useSession();
  const unit = useUnit();
  const { isInR } = useResults();
  const resultOf = isInR ? rankedMeanR : ({ net_pnl }: Row) => net_pnl;
  if (rows.length === 0) return <p class="nothing">No trades in this period.</p>;

  const shown =
    rows.length <= most ? rows : [...rows.slice(0, most - 3), ...rows.slice(-3)];
  const [, largest] = extentOf([1e-9, ...rows.map((row) => Math.abs(resultOf(row)))]);

  const named = (row: Row) => {
    const [name, href] = [nameOf(row), hrefOf?.(row)];
    return (
      <span class="bars-name" title={name}>
        {href === undefined ? name : <a href={href}>{name}</a>}
      </span>
    );
  };

  // "+2.56 R in 2 of 11": it has the number of trades, so that a phone needs no column
  // for it.
  const meanR = ({ average_r, r_sample, trades }: Row) =>
    `${format.r(average_r)} in ${r_sample} of ${trades}`;
  return (
    <>
      <Table
        class="bars"
        caption={caption}
        rows={shown}
        columns={[
          { name: of, isHeading: true, write: named },
          {
            name: <span class="unseen">Bar</span>,
            class: 'bars-picture',
            write: (row) => <Bar result={resultOf(row)} largest={largest} />,
          },
          {
            name: isInR ? 'Mean R' : 'Net P&L',
            class: 'number',
            write: (row) => (isInR ? meanR(row) : format.gain(row.net_pnl)),
            tone: (row) => toneOf(resultOf(row)),
          },
          {
            name: `${word(unit)}s`,
            class: isInR ? 'number optional' : 'number',
            write: ({ trades }) => format.count(trades),
          },
          {
            name: 'Won',
            class: 'number optional',
            write: ({ win_rate }) => format.percent(win_rate),
          },
        ]}
      />
      {shown.length < rows.length && (
        <p class="fine">
          The best {shown.length - 3} and the worst 3 of {format.count(rows.length)}.
        </p>
      )}
    </>
  );
}

/** The mean R of a row for its bar. */
function rankedMeanR({ average_r, r_sample }: Row): number {
  return r_sample < LEAST_R ? 0 : (average_r ?? 0);
}

/** Half as wide as its place for the largest result. */
function Bar({ result, largest }: { result: number; largest: number }) {
  return (
    <span
      class={`bar ${toneOf(result)}`}
      style={{ '--share': `${(Math.abs(result) / largest) * 50}%` }}
      aria-hidden="true"
    />
  );
}

function nameOfKey({ key }: Row): string {
  return key === null ? 'None' : String(key);
}

interface ExitBarsProps extends Pick<OutlookFigures['exits'], 'targets' | 'stops'> {
  /** The actual total R. */
  actual: number | null;
}

/** Total R of these trades with fixed targets and stops, next to the actual total. */
export function ExitBars({ targets, stops, actual }: ExitBarsProps) {
  const { format } = useSession();
  const rows = [
    { name: 'As it was', total_r: actual },
    ...targets.map(({ r, total_r }) => ({
      name: `Target at ${format.decimal(r)} R`,
      total_r,
    })),
    ...stops.map(({ r, total_r }) => ({
      name: `Stop at ${format.decimal(r)} R`,
      total_r,
    })),
  ];
  const largest = Math.max(...rows.map(({ total_r }) => Math.abs(total_r ?? 0)), 1e-9);
  const written = (total: number | null) =>
    total === null ? 'unknown' : format.r(total);

  return (
    <>
      <div class="exit-bars stack" aria-hidden="true">
        {rows.map(({ name, total_r }) => (
          <div key={name} class="exit-bar">
            <span>{name}</span>
            <span class="bars-picture">
              <Bar result={total_r ?? 0} largest={largest} />
            </span>
            <span class="number">{written(total_r)}</span>
          </div>
        ))}
      </div>
      <TableBehind
        caption="Sum of R with fixed exits"
        columns={{
          Exit: ({ name }) => name,
          'Sum of R': ({ total_r }) => written(total_r),
        }}
        rows={rows}
      />
    </>
  );
}
