/**
 * Changes of positions in Interactive Brokers' exports besides trades: corporate actions,
 * reversals, cancellations.
 */
import { asDecimal } from '../../money.ts';
import { byTime, type FileFill, fill } from '../fills/reading.ts';
import { partOf } from '../parse/columns.ts';
import { type Instrument, option } from '../parse/instruments.ts';
import type { OtherRows } from '../tables/format.ts';
import {
  amountIn,
  cellOf,
  codesOf,
  type Deal,
  isOption,
  named,
  namedOption,
  type Row,
  type Statement,
  timeOf,
} from './ibkr.ts';

type Option = Instrument & Parameters<typeof option>[0];

/** Adds the changes of a corporate action, or removes those of the action it cancels. */
export function takeAction(
  row: Row,
  statement: Statement,
  changes: FileFill[],
  others: OtherRows,
): void {
  const { text: description } = cellOf(row, 'description');
  const quantity = amountIn(row, 'quantity') ?? 0;
  const { isCancelled } = codesOf(row);
  const changed = changesOf(
    row,
    statement,
    description,
    isCancelled ? 0 - quantity : quantity,
  );
  if (changed === undefined && quantity !== 0)
    others.moved({ text: description.replace(/\(.*/s, ''), line: row.line });
  if (!changed?.length) {
    return others.skip(
      quantity === 0 ? 'corporate action without a change of units' : 'corporate action',
    );
  }

  if (!isCancelled) {
    for (const change of changed) changes.push(change);
    return;
  }

  const keyOf = ({ kind, instrument, quantity: units }: FileFill) =>
    `${kind} ${instrument.symbol} ${units}`;
  const found = changed.map((change) =>
    changes.findLast((other) => keyOf(other) === keyOf(change)),
  );
  for (const change of found) if (change) changes.splice(changes.indexOf(change), 1);
  // The row of the cancelled action has no fill any more, either.
  others.skip('cancelled corporate action', found[0] ? 2 : 1);
}

const CASH_MERGER = /^(?:(?!\bmerged\b).)*\bmerged\b.* for [A-Z]{3} [\d.]+ per share/i;
const SPLIT =
  /^([^(]*[^(\s])\s*\([^)]*\)\s+(?:forward |reverse )?(?:split|сплит) (\d+(?:\.\d+)?) (?:for|за|für|pour|por|para|per) (\d+(?:\.\d+)?)/i;
const NEW_NUMBER = /^([^(]*[^(\s])\s*\([^)]*\)\s+cusip\/isin change/i;

/**
 * The fills of a corporate action: a split, also of options, whose strike changes with
 * it; a change of symbol; a sale of all units for cash. Splits and changes have a row for
 * the units removed and one for those added; only the latter makes fills.
 * @returns undefined for other actions; none for a row of removed units
 */
function changesOf(
  row: Row,
  statement: Statement,
  description: string,
  quantity: number,
): FileFill[] | undefined {
  const split = SPLIT.exec(description);
  const former = (split ?? NEW_NUMBER.exec(description))?.[1];
  const symbol = /\(([^,()]+),[^()]*(?:\([^()]*\)[^()]*)*\)\s*$/
    .exec(description)?.[1]
    ?.trim();
  if (symbol === undefined) return undefined;
  if (quantity < 0 && CASH_MERGER.test(description))
    return [soldForCash(row, statement, symbol, -quantity)];
  if (former === undefined) return undefined;

  // A forward split has one row, below 0 for a short position.
  const ratio = split && Number(split[2]) / Number(split[3]);
  const isForward = split !== null && Number(split[2]) > Number(split[3]);
  if (isForward ? quantity === 0 : quantity <= 0) return [];
  if (isOption(symbol))
    return isForward ? optionSplit(row, statement, symbol, ratio as number) : undefined;

  const fills: FileFill[] = [];
  if (ratio !== null)
    fills.push({
      ...changeIn(row, statement, stockIn(row, former)),
      kind: 'split',
      quantity: ratio,
    });

  if (symbol !== former)
    fills.push({
      ...changeIn(row, statement, stockIn(row, symbol)),
      kind: 'symbol_change',
      formerSymbol: former,
    });

  return fills;
}

function soldForCash(
  row: Row,
  statement: Statement,
  symbol: string,
  quantity: number,
): FileFill {
  return {
    ...changeIn(row, statement, stockIn(row, symbol)),
    kind: 'delivery',
    side: 'sell',
    quantity,
    price: (amountIn(row, 'proceeds') ?? 0) / quantity,
    effect: 'close',
  };
}

/** The strike changes with the number of contracts. */
function optionSplit(
  row: Row,
  statement: Statement,
  symbol: string,
  ratio: number,
): FileFill[] {
  const { text: currency } = cellOf(row, 'currency');
  const multiplier = amountIn(row, 'multiplier') ?? 100;
  const contract = namedOption(partOf(cellOf(row, 'description'), symbol), {
    currency,
    multiplier,
  });
  const { underlying, expiration, strike, optionType } = contract as Option;
  const earlier = option(
    { underlying, expiration, optionType, strike: asDecimal(strike * ratio) },
    { currency, multiplier },
  );

  return [
    { ...changeIn(row, statement, earlier), kind: 'split', quantity: ratio },
    {
      ...changeIn(row, statement, contract),
      kind: 'symbol_change',
      formerSymbol: earlier.symbol,
    },
  ];
}

function changeIn(row: Row, statement: Statement, instrument: Instrument): FileFill {
  return fill({
    line: row.line,
    account: cellOf(row, 'accountId').text || statement.account,
    executedAt: timeOf(row, statement),
    instrument,
    side: null,
    quantity: null,
    price: 0,
  });
}

function stockIn(row: Row, symbol: string): Instrument {
  return named(symbol, 'stock', {
    currency: cellOf(row, 'currency').text,
    multiplier: 1,
  });
}

/** Units held before a statement, below 0 if short, by symbol. */
export type HeldBefore = ReadonlyMap<string, number>;

/**
 * Fills of a statement's rows and corporate actions, by time. A cancellation may be of a
 * fill in an earlier statement.
 */
export function fillsOf(
  deals: readonly Deal[],
  changes: readonly FileFill[],
  held: HeldBefore = new Map(),
): FileFill[] {
  separateHalves(deals);
  judgeTurns(
    deals.toSorted((a, b) => byTime(a.fill, b.fill)),
    held,
  );
  const stated = deals.map(({ fill, codes }) => {
    const { judged: _, ...rest } = fill;
    return codes.isCancelled
      ? { ...rest, kind: 'trade' as const, effect: null, cancels: true }
      : fill;
  });

  return [...stated, ...changes].sort(byTime);
}

/**
 * An execution that closes and opens has a row for each with the execution's id. All but
 * the first, closing one get an id of their own.
 */
function separateHalves(deals: readonly Deal[]): void {
  for (const ofExecution of Map.groupBy(deals, ({ fill, symbol }) =>
    JSON.stringify([fill.executionId, fill.account, symbol]),
  ).values()) {
    const rows = Map.groupBy(
      ofExecution,
      ({ booking, fill }) => `${fill.effect === 'open' ? 1 : 0} ${booking.padStart(32)}`,
    );
    [...rows.keys()].sort().forEach((key, index) => {
      for (const { fill } of rows.get(key) ?? []) {
        if (index > 0 && fill.executionId !== null) fill.executionId += `.${index + 1}`;
      }
    });
  }
}

/** The position in a symbol after the rows so far. */
interface Position {
  units: number;
  /** Whether they include units held before the statement. */
  isOlder: boolean;
  /** Whether the last row reversed it. */
  isTurned: boolean;
}

/**
 * Sets the effect of fills that close and open at once. A fill only closes while older
 * units are open. All executions of an order have its codes; the later ones open. An
 * unmatched close opens nothing.
 * @param rows in the order of time
 */
function judgeTurns(rows: readonly Deal[], held: HeldBefore): void {
  const positions = new Map<string, Position>();
  for (const { symbol, signed, codes, fill } of rows) {
    const { isTurn } = codes;
    const key = JSON.stringify([fill.account, symbol]);
    const older = held.get(symbol) ?? 0;
    const before = positions.get(key) ?? {
      units: older,
      isOlder: older !== 0,
      isTurned: false,
    };
    const isClosing = before.units * signed < 0;
    if (isTurn && isClosing && before.isOlder) fill.judged = 'close';
    else if (isTurn && before.isTurned && !isClosing) fill.judged = 'open';
    const isUnknown = isTurn && !isClosing && !before.isTurned;
    const units = isUnknown ? before.units : asDecimal(before.units + signed);

    positions.set(key, {
      units,
      // Once the position was flat, all open units are from this statement.
      isOlder: before.isOlder && units * before.units > 0,
      isTurned: isTurn && !isUnknown && (!isClosing || units * before.units <= 0),
    });
  }
}
