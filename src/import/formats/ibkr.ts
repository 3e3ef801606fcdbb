/** Shared parts of Interactive Brokers' exports: codes, option symbols, corporate actions. */
import { type FileFill, fill, skip } from '../fills/reading.ts';
import { type Cell, cellError } from '../parse/columns.ts';
import { futureOf, type Instrument, option } from '../parse/instruments.ts';
import { monthOf } from '../parse/times.ts';

/** Fills of all the broker's exports are matched together. */
export const PLATFORM = 'ibkr';

/** Meaning of a row's codes; most codes are irrelevant for fills. */
export interface Codes {
  kind: FileFill['kind'];
  effect: FileFill['effect'];
  mayShort: boolean;
  isCancelled: boolean;
  /** Whether it closes a position and opens the opposite one. */
  isTurn: boolean;
}

/** @param text codes separated by semicolons: C;Ep */
export function codesIn(text: string): Codes {
  const codes = new Set(text.split(';').map((code) => code.trim()));
  const has = (...some: string[]) => some.some((code) => codes.has(code));
  const isTurn = has('O') && has('C');
  const effect = has('O') === has('C') ? null : has('O') ? 'open' : 'close';
  return { kind: kindOf(has), effect, mayShort: has('O'), isCancelled: has('Ca'), isTurn };
}

function kindOf(has: (...codes: string[]) => boolean): FileFill['kind'] {
  if (has('Ep')) return 'expiration';
  if (has('A')) return 'assignment';
  return has('Ex', 'AEx', 'MEx') ? 'exercise' : 'trade';
}

/** Markets in which any sell may open a position. */
const SHORT_MARKETS = ['future', 'forex', 'cfd'];

/** Parts of a fill given by codes and market. */
export function meaningOf(
  { market }: Instrument,
  codes: Codes,
): Pick<FileFill, 'kind' | 'effect' | 'judged' | 'mayShort'> {
  const { kind, effect, mayShort, isTurn } = codes;
  const judged = isTurn ? { judged: 'close_then_open' as const } : {};
  return { kind, effect, ...judged, mayShort: mayShort || SHORT_MARKETS.includes(market) };
}

/** A fill, or by its codes the cancellation of one in this statement or an earlier one. */
export function fillOrCancellation(fill: FileFill, { isCancelled }: Codes): FileFill {
  if (!isCancelled) return fill;
  const { judged: _, ...own } = fill;
  return { ...own, kind: 'trade', effect: null, cancels: true };
}

interface Terms {
  currency: string;
  multiplier: number | null;
}

/**
 * An option such as CLOV 16JUL21 20.0 C, or in the exchanges' notation: FB    180921C00200000.
 * @throws RowError if the cell isn't an option
 */
export function optionIn(cell: Cell, terms: Terms): Instrument {
  const named = /^(\S(?:.*\S)?) +(\d\d)([A-Z]{3})(\d\d) +(\d+(?:\.\d+)?) +([CP])$/.exec(cell.text);
  const month = named && monthOf(named[3] as string);
  if (named && month) {
    return contract(named[1], `20${named[4]}-${month}-${named[2]}`, named[5], named[6], terms);
  }
  const coded = /^([A-Z0-9.]{1,6}) *(\d\d)(\d\d)(\d\d)([CP])(\d{8})$/.exec(cell.text);
  if (coded) {
    const strike = String(Number(coded[6]) / 1000);
    return contract(coded[1], `20${coded[2]}-${coded[3]}-${coded[4]}`, strike, coded[5], terms);
  }
  throw cellError(cell, 'must be an option, such as SPY 19JUN26 450 C');
}

function contract(
  underlying = '',
  expiration: string,
  strike: string | undefined,
  letter: string | undefined,
  terms: Terms,
): Instrument {
  return option({ underlying, expiration, strike: Number(strike), optionType: letter === 'C' ? 'call' : 'put' }, terms);
}

/** Any instrument except an option. */
export function instrumentOf(symbol: string, market: Instrument['market'], terms: Terms): Instrument {
  const underlying = market === 'future' ? (futureOf(symbol)?.root ?? null) : null;
  return { symbol, market, underlying, expiration: null, strike: null, optionType: null, ...terms };
}

/** A row of the corporate actions. */
export interface CorporateAction {
  line: number;
  account: string | null;
  currency: string;
  executedAt: string;
  description: string;
  /** Units added, or removed with a minus. */
  quantity: number;
  /** Money received for them. */
  proceeds: number;
  /** Whether it cancels an earlier action, with the opposite sign of units. */
  isCancelled: boolean;
}

/** Result of a statement's corporate actions. */
export interface Actions {
  changes: FileFill[];
  /** Units added or removed without a fill. */
  moved: string[];
  skipped: Map<string, number>;
}

/** Adds the changes of a corporate action, or removes those of the action it cancels. */
export function takeAction(action: CorporateAction, { changes, moved, skipped }: Actions): void {
  const { description, quantity, isCancelled, line } = action;
  const made = changesOf({ ...action, quantity: isCancelled ? 0 - quantity : quantity });
  if (made === undefined && quantity !== 0) moved.push(`${description.replace(/\(.*/s, '')} on line ${line}`);
  if (!made?.length) {
    return skip(skipped, quantity === 0 ? 'corporate action without a change of units' : 'corporate action');
  }
  const keyOf = ({ kind, instrument }: FileFill) => `${kind} ${instrument.symbol}`;
  for (const own of made) {
    if (!isCancelled) {
      changes.push(own);
      continue;
    }
    const at = changes.findLastIndex((other) => keyOf(other) === keyOf(own) && other.quantity === own.quantity);
    if (at !== -1) changes.splice(at, 1);
  }
}

const CASH_MERGER = /^(?:(?!\bmerged\b).)*\bmerged\b.* for [A-Z]{3} [\d.]+ per share/i;
const SPLIT =
  /^([^(]*[^(\s])\s*\([^)]*\)\s+(?:forward |reverse )?(?:split|сплит) (\d+(?:\.\d+)?) (?:for|за|für|pour|por|para|per) (\d+(?:\.\d+)?)/i;
const NEW_NUMBER = /^([^(]*[^(\s])\s*\([^)]*\)\s+cusip\/isin change/i;

/**
 * The fills of a corporate action: a split, a change of symbol, a sale of all units for cash. Splits and changes have a row
 * for the units removed and one for those added; only the latter makes fills.
 * @returns undefined for other actions; none for a row of removed units
 */
function changesOf(action: CorporateAction): FileFill[] | undefined {
  const { line, account, currency, executedAt, description, quantity } = action;
  const split = SPLIT.exec(description);
  const former = (split ?? NEW_NUMBER.exec(description))?.[1];
  const symbol = /\(([^,()]+),[^()]*(?:\([^()]*\)[^()]*)*\)\s*$/.exec(description)?.[1]?.trim();
  const isCash = quantity < 0 && CASH_MERGER.test(description);
  if (symbol === undefined || (former === undefined && !isCash)) return undefined;
  // A forward split has one row, below 0 for a short position.
  const isForward = split !== null && Number(split[2]) > Number(split[3]);
  if (!isCash && (isForward ? quantity === 0 : quantity <= 0)) return [];
  const change = (name: string) =>
    fill({
      line,
      account,
      executedAt,
      instrument: instrumentOf(name, 'stock', { currency, multiplier: 1 }),
      side: null,
      quantity: null,
      price: 0,
    });
  if (isCash) {
    const price = action.proceeds / -quantity;
    return [{ ...change(symbol), kind: 'delivery', side: 'sell', quantity: -quantity, price, effect: 'close' }];
  }
  if (former === undefined) return [];
  const fills: FileFill[] = [];
  if (split) fills.push({ ...change(former), kind: 'split', quantity: Number(split[2]) / Number(split[3]) });
  if (symbol !== former) fills.push({ ...change(symbol), kind: 'symbol_change', formerSymbol: former });
  return fills;
}
