/**
 * A trade from its first to its last fill: fills, average entry and exit, stop, target, MAE and
 * MFE.
 */
import { TableBehind } from '../components/table.tsx';
import { type Formats, word } from '../format.ts';
import { hidesMoney, useSession } from '../session.ts';
import type { TradeDetail } from '../types.ts';
import { extentOf, linear, Plot } from './plot.tsx';

const TOP = 16;
const BOTTOM = 36;
const LABEL_HEIGHT = 16;
/** Height of the position's size, below the prices. */
const SIZES = 44;

type Execution = TradeDetail['executions'][number];

interface Level {
  name: string;
  price: number;
  class: string;
}

export function TradeTimeline({ trade }: { trade: TradeDetail }) {
  const { format } = useSession();
  const levels = levelsOf(trade);
  const [least, most] = reach([
    ...levels.map(({ price }) => price),
    ...trade.executions.map(({ price }) => price),
  ]);
  // An entry alone needs no timeline.
  const height = (levels.length > 1 ? 300 : 120) + SIZES;
  const y = linear(most, least, TOP, height - BOTTOM - SIZES);
  const times = timesOf(trade);
  const labels =
    22 +
    Math.max(...levels.map(({ name, price }) => name.length + 1 + format.price(price).length)) * 7;
  const hasLabels = trade.executions.length <= MOST_LABELS;
  const draw = (width: number) => {
    const right = width - labels;
    const x = linear(times.from, times.to, 24, Math.max(24, right - 24));
    return (
      <>
        <Excursion levels={levels} y={y} width={right} />
        <Sizes trade={trade} x={x} end={right - 24} bottom={height - BOTTOM + 8} />
        {spread(levels, y, height - SIZES).map(({ level, at }) => (
          <g key={level.name} class={`level ${level.class}`}>
            <line x1={0} x2={right} y1={y(level.price)} y2={y(level.price)} />
            <line class="level-lead" x1={right} x2={right + 10} y1={y(level.price)} y2={at} />
            <text x={right + 14} y={at + 4}>
              {level.name} {format.price(level.price)}
            </text>
          </g>
        ))}
        {trade.executions.map((fill, index) => (
          <Fill
            key={index}
            fill={fill}
            x={x(Date.parse(fill.executed_at))}
            y={y(fill.price)}
            hasLabel={hasLabels}
          />
        ))}
        <text x={0} y={height - 10}>
          {format.shortInstant(trade.executed_at)}
        </text>
        <text x={right} y={height - 10} text-anchor="end">
          {endOf(trade, format)}
        </text>
      </>
    );
  };
  return (
    <>
      <div class="timeline">
        <Plot height={height} label={saysOf(trade, levels, format.price)}>
          {draw}
        </Plot>
      </div>
      {trade.executions.length > 0 && <Fills trade={trade} />}
    </>
  );
}

function Fills({ trade }: { trade: TradeDetail }) {
  const { me, format } = useSession();
  const isInR = hidesMoney(me);
  return (
    <TableBehind
      caption="Fills"
      columns={{
        Time: ({ executed_at, has_time }) =>
          has_time ? format.instant(executed_at) : format.instantDay(executed_at),
        Side: ({ side }) => word(side),
        ...(isInR ? {} : { Quantity: ({ quantity }: Execution) => format.price(quantity) }),
        Price: ({ price }) => format.price(price),
        ...(isInR ? {} : { Fees: ({ fees }: Execution) => format.money(fees, trade.currency) }),
      }}
      rows={trade.executions}
    />
  );
}

/** Without the day if the trade was opened on it. */
function endOf({ executed_at, closed_at }: TradeDetail, format: Formats): string {
  if (closed_at === null) return 'still open';
  const sameDay = format.dayOf(executed_at) === format.dayOf(closed_at);
  return sameDay ? format.shortTime(closed_at) : format.shortInstant(closed_at);
}

/** The known range of prices during the trade. */
function Excursion({
  levels,
  y,
  width,
}: {
  levels: readonly Level[];
  y: (price: number) => number;
  width: number;
}) {
  const [mae, mfe] = ['MAE', 'MFE'].map(
    (name) => levels.find((level) => level.name === name)?.price,
  );
  const entry = levels.find((level) => level.name === 'Entry')?.price;
  if (entry === undefined) return null;
  const band = (price: number | undefined, tone: string) =>
    price !== undefined && (
      <rect
        class={`plot-area ${tone}`}
        x={0}
        width={width}
        y={Math.min(y(price), y(entry))}
        height={Math.abs(y(price) - y(entry))}
      />
    );
  return (
    <>
      {band(mae, 'loss')}
      {band(mfe, 'gain')}
    </>
  );
}

interface FillProps {
  fill: Execution;
  x: number;
  y: number;
  hasLabel: boolean;
}

/** A triangle, pointing up for a purchase. */
function Fill({ fill: { side, quantity, price }, x, y, hasLabel }: FillProps) {
  const { format } = useSession();
  const tip = side === 'buy' ? -8 : 8;
  // A key may hide it.
  const size = quantity === undefined ? '' : format.price(quantity);
  return (
    <g>
      <title>{`${word(side)} ${size && `${size} `}at ${format.price(price)}`}</title>
      <path
        class={`fill ${side === 'buy' ? 'gain' : 'loss'}`}
        d={`M${x} ${y + tip}l8 ${-2 * tip}h-16z`}
      />
      <text x={x + 11} y={y - 5}>
        {hasLabel && size}
      </text>
    </g>
  );
}

/** More fills than this show quantities on hover only. */
const MOST_LABELS = 12;

interface SizesProps {
  trade: TradeDetail;
  x: (at: number) => number;
  end: number;
  bottom: number;
}

/** The size of the position, in steps from fill to fill. */
function Sizes({ trade, x, end, bottom }: SizesProps) {
  const { format } = useSession();
  let size = 0;
  const steps = trade.executions.map((fill) => {
    size += (fill.side === 'buy') === (trade.side === 'long') ? fill.quantity : -fill.quantity;
    return { at: x(Date.parse(fill.executed_at)), size: Math.max(0, size) };
  });
  const most = Math.max(...steps.map((step) => step.size), 1e-12);
  const y = linear(0, most, bottom, bottom - SIZES + 14);
  const first = steps[0];
  // A key may hide sizes.
  if (!first || trade.quantity === undefined) return null;
  const line = steps.map((step) => `H${step.at}V${y(step.size)}`).join('');
  const last = trade.status === 'open' ? end : (steps.at(-1)?.at ?? end);
  return (
    <g class="sizes">
      <title>Position: at most {format.price(most)}</title>
      <path d={`M${first.at} ${bottom}${line}H${last}V${bottom}Z`} />
    </g>
  );
}

/**
 * The prices of MAE and MFE, which are money: from entry and size, approximate if the size changed.
 */
function levelsOf(trade: TradeDetail): Level[] {
  const perPoint = trade.quantity * trade.multiplier * (trade.side === 'long' ? 1 : -1);
  const excursion = (money: number | null | undefined) =>
    // A key may hide it.
    money === null || money === undefined
      ? null
      : Number((trade.entry_price + money / perPoint).toPrecision(7));
  const levels: readonly (readonly [name: string, price: number | null, tone: string])[] = [
    ['Entry', trade.entry_price, ''],
    ['Exit', trade.exit_price, ''],
    ['Stop', trade.stop_loss, 'loss level-dashed'],
    ['Target', trade.take_profit, 'gain level-dashed'],
    ['MAE', excursion(trade.mae), 'muted level-dotted'],
    ['MFE', excursion(trade.mfe), 'muted level-dotted'],
  ];
  return levels.flatMap(([name, price, tone]) =>
    price === null ? [] : [{ name, price, class: tone }],
  );
}

function reach(prices: readonly number[]): [least: number, most: number] {
  const [least, most] = extentOf(prices);
  const margin = (most - least || Math.abs(most) * 0.01 || 1) * 0.08;
  return [least - margin, most + margin];
}

function timesOf({ executed_at, closed_at, executions }: TradeDetail): {
  from: number;
  to: number;
} {
  const from = Date.parse(executed_at);
  const last = Date.parse(closed_at ?? executions.at(-1)?.executed_at ?? executed_at);
  return { from, to: Math.max(last, from + 1) };
}

/** Labels from top to bottom, without overlap. */
function spread(
  levels: readonly Level[],
  y: (price: number) => number,
  height: number,
): { level: Level; at: number }[] {
  const labels = [...levels]
    .sort((a, b) => b.price - a.price)
    .map((level) => ({ level, at: y(level.price) }));
  for (const [index, label] of labels.entries()) {
    const above = labels[index - 1];
    if (above) label.at = Math.max(label.at, above.at + LABEL_HEIGHT);
  }
  // Labels pushed below the bottom push those above them up.
  let limit = height - BOTTOM + 8;
  for (const label of [...labels].reverse()) {
    label.at = Math.min(label.at, limit);
    limit = label.at - LABEL_HEIGHT;
  }
  return labels;
}

function saysOf(
  trade: TradeDetail,
  levels: readonly Level[],
  price: (value: number) => string,
): string {
  const all = levels.map((level) => `${level.name} ${price(level.price)}`).join(', ');
  return `${word(trade.side)} ${trade.symbol}: ${all}; ${trade.executions.length} fills`;
}
