/** What the exports of Interactive Brokers have in common: codes, option symbols, corporate actions. */
import { quote, RowError } from '../../journal-write/row-error.ts';
import { type FileFill, fill, skip } from '../fills/reading.ts';
import type { Cell } from '../parse/columns.ts';
import { futureOf } from '../parse/contract-sizes.ts';
import { type Instrument, option } from '../parse/instruments.ts';
import { monthOf } from '../parse/times.ts';

/** Fills of all of the broker's exports are walked together. */
export const PLATFORM = 'ibkr';

/** What the codes of a row say; most of them say nothing about what was filled. */
export interface Codes {
  kind: FileFill['kind'];
  effect: FileFill['effect'];
  mayShort: boolean;
  isCancelled: boolean;
  /** Whether it closes a position and opens another. */
  isTurn: boolean;
}

/** @param text codes with semicolons between them: C;Ep */
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

/** Markets in which a sell may open a position without saying so. */
const SHORT_MARKETS = ['future', 'forex', 'cfd'];

/** What the codes say of a fill in an instrument. */
export function meaningOf(
  { market }: Instrument,
  codes: Codes,
): Pick<FileFill, 'kind' | 'effect' | 'judged' | 'mayShort'> {
  const { kind, effect, mayShort, isTurn } = codes;
  const judged = isTurn ? { judged: 'close_then_open' as const } : {};
  return { kind, effect, ...judged, mayShort: mayShort || SHORT_MARKETS.includes(market) };
}

/** A fill, or where the codes say so, what takes one back that stands in this statement or in an earlier one. */
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
 * CLOV 16JUL21 20.0 C, and as exchanges write it: FB    180921C00200000.
 * @throws RowError where the cell is no option
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
  throw new RowError(cell.column, `must be an option, such as SPY 19JUN26 450 C; got ${quote(cell.text)}`, cell.line);
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

/** Anything but an option. */
export function instrumentOf(symbol: string, market: Instrument['market'], terms: Terms): Instrument {
  const underlying = market === 'future' ? (futureOf(symbol)?.root ?? null) : null;
  return { symbol, market, underlying, expiration: null, strike: null, optionType: null, ...terms };
}

/** What a row of the corporate actions says. */
export interface CorporateAction {
  line: number;
  account: string | null;
  currency: string;
  executedAt: string;
  description: string;
  /** Units that came, or with a minus went. */
  quantity: number;
  /** Money that came for them. */
  proceeds: number;
  /** Whether it takes back an action that stands before it, with the units the other way round. */
  isCancelled: boolean;
}

/** What the corporate actions of a statement come to. */
export interface Actions {
  changes: FileFill[];
  /** What came or went and makes no fill. */
  moved: string[];
  skipped: Map<string, number>;
}

/** Adds what a corporate action makes, or takes away what one made that this one cancels. */
export function takeAction(action: CorporateAction, { changes, moved, skipped }: Actions): void {
  const { description, quantity, isCancelled, line } = action;
  const made = changesOf({ ...action, quantity: isCancelled ? 0 - quantity : quantity });
  if (made === undefined && quantity !== 0) moved.push(`${description.replace(/\(.*/s, '')} on line ${line}`);
  if (!made?.length) {
    return skip(skipped, quantity === 0 ? 'corporate action that changes no units' : 'corporate action');
  }
  const told = ({ kind, instrument }: FileFill) => `${kind} ${instrument.symbol}`;
  for (const own of made) {
    if (!isCancelled) {
      changes.push(own);
      continue;
    }
    const at = changes.findLastIndex((other) => told(other) === told(own) && other.quantity === own.quantity);
    if (at !== -1) changes.splice(at, 1);
  }
}

const CASH_MERGER = /^(?:(?!\bmerged\b).)*\bmerged\b.* for [A-Z]{3} [\d.]+ per share/i;
const SPLIT =
  /^([^(]*[^(\s])\s*\([^)]*\)\s+(?:forward |reverse )?(?:split|сплит) (\d+(?:\.\d+)?) (?:for|за|für|pour|por|para|per) (\d+(?:\.\d+)?)/i;
const NEW_NUMBER = /^([^(]*[^(\s])\s*\([^)]*\)\s+cusip\/isin change/i;

/**
 * The fills that a corporate action makes: a split, a change of symbol, a sale of all for cash. Splits and changes have a
 * row for what went and one for what came; the one that came tells.
 * @returns undefined where the action is another; none where this row is only what went
 */
function changesOf(action: CorporateAction): FileFill[] | undefined {
  const { line, account, currency, executedAt, description, quantity } = action;
  const split = SPLIT.exec(description);
  const former = (split ?? NEW_NUMBER.exec(description))?.[1];
  const symbol = /\(([^,()]+),[^()]*(?:\([^()]*\)[^()]*)*\)\s*$/.exec(description)?.[1]?.trim();
  const isCash = quantity < 0 && CASH_MERGER.test(description);
  if (symbol === undefined || (former === undefined && !isCash)) return undefined;
  // A forward split has one row, below 0 for what is short.
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
