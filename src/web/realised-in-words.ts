/**
 * Why realised P&L and the net P&L of closed trades differ, and what doesn't reconcile:
 * closes without an opening, and totals that files state. On the dashboard and in the
 * terminal.
 */
import { type Formats, plural } from './format.ts';
import type { Analytics, Performance } from './types.ts';

type Amounts = Pick<Performance, 'net_pnl' | 'realised_pnl'>;

/** False also if the key hides both. */
export function differs({ net_pnl, realised_pnl }: Amounts): boolean {
  return net_pnl !== realised_pnl;
}

/** P&L that other requests state: with status=open, and in data_quality. */
export interface OtherExits {
  /** Of trades that are still open. */
  ofOpen: number;
  /** Of closes without an opening. */
  unmatched: number;
}

/**
 * "Closed trades: +$1,234.00; exits of open trades +$27.89": their sum is the realised
 * P&L.
 */
export function differenceInWords(
  { net_pnl, realised_pnl }: Amounts,
  { ofOpen, unmatched }: OtherExits,
  { gain }: Formats,
): string {
  const parts = {
    'exits of open trades': ofOpen,
    'exits and costs of closed trades in other periods':
      realised_pnl - net_pnl - ofOpen - unmatched,
    'unmatched closes': unmatched,
  };
  const shown = Object.entries(parts).filter(([, amount]) => Math.abs(amount) >= 0.005);

  return [
    closedInWords(net_pnl, gain),
    ...shown.map(([name, amount]) => `${name} ${gain(amount)}`),
  ].join('; ');
}

export function closedInWords(net: number, gain: Formats['gain']): string {
  return `Closed trades: ${gain(net)}`;
}

type Quality = Analytics['data_quality'];
type UnmatchedCloses = Quality['unmatched'];
type StatedTotal = Quality['stated_totals']['totals'][number];

/** A problem, with the commands that settle it. */
export interface NotReconciledItem {
  text: string;
  commands: string[];
}

export function notReconciled(
  { unmatched, stated_totals }: Pick<Quality, 'unmatched' | 'stated_totals'>,
  format: Formats,
): NotReconciledItem[] {
  const { differing, totals } = stated_totals;
  const more = differing - totals.length;
  const rest = {
    text: `${plural(more, 'further total')} of files differ.`,
    commands: [],
  };

  return [
    ...closesNotReconciled(unmatched, format),
    ...totals.map((total) => totalNotReconciled(total, format)),
    ...(more > 0 ? [rest] : []),
  ];
}

/**
 * Closes without an opening, by symbol, and what they state in currencies without a rate.
 */
function closesNotReconciled(
  unmatched: UnmatchedCloses,
  format: Formats,
): NotReconciledItem[] {
  const { closes, symbols, distinct, without_rate } = unmatched;
  if (closes === 0) return [];

  const others =
    distinct > symbols.length ? ` and ${distinct - symbols.length} more` : '';
  const ofSymbols = {
    text:
      `${plural(closes, 'unmatched close')} of ${symbols.join(', ')}${others}: no file states the ` +
      `opening. ${statedInWords(unmatched, format)}. To settle: import the file with the openings, ` +
      'or record them:',
    commands: symbols.map(fillOf),
  };
  const ofCurrencies = without_rate.map(({ currency, amount }) => ({
    text:
      `${amountIn(format, currency, amount)} that such closes state in ${currency} ` +
      "isn't counted; set its exchange rate:",
    commands: [`journal-api rates set ${currency}`],
  }));

  return [ofSymbols, ...ofCurrencies];
}

/** A key may hide the amount. */
function amountIn(format: Formats, currency: string, amount: number | undefined): string {
  return amount === undefined ? 'P&L' : format.gain(amount, currency);
}

function statedInWords(
  { closes, realised_stated, without_statement }: UnmatchedCloses,
  { gain }: Formats,
): string {
  const stated = closes - without_statement;
  if (stated === 0)
    return closes === 1 ? 'Its row states no P&L' : 'Their rows state no P&L';

  const amount = realised_stated === undefined ? '' : `, ${gain(realised_stated)} in all`;
  const silent = plural(
    without_statement,
    "row states none and isn't counted",
    "rows state none and aren't counted",
  );
  const without = without_statement > 0 ? `; ${silent}` : '';
  const rows = plural(stated, 'row states', 'rows state');
  return `${rows} a P&L${amount}, counted on its day${without}`;
}

/**
 * A total that a file states, and the command that settles it or reads the file
 * otherwise.
 */
function totalNotReconciled(total: StatedTotal, format: Formats): NotReconciledItem {
  const { import: id, symbol, what, cause } = total;
  const text = differenceOfTotal(total, format);

  if (cause === 'unmatched_closes')
    return {
      text: `${text} Unmatched closes that state no P&L are left out.`,
      commands: [],
    };

  if (cause === 'no_trades')
    return { text: `${text} To settle, import the file with its fills.`, commands: [] };

  if (what === 'position' && symbol)
    return {
      text: `${text} To settle, record the missing fill:`,
      commands: [fillOf(symbol)],
    };

  const change = `journal-api import change ${id}`;
  return {
    text:
      `${text} To see the symbols that differ, and, if the file belongs to one of several ` +
      'accounts but was imported without --account, to name the account:',
    commands: [`${change} --dry-run`, `${change} --account NAME`],
  };
}

const WHAT: Readonly<Record<StatedTotal['what'], string>> = {
  gross: 'gross P&L',
  net: 'net P&L',
  fees: 'fees',
  position: 'open position',
};

/** A key may hide the amounts, and the file's name. */
function differenceOfTotal(total: StatedTotal, format: Formats): string {
  const {
    import: id,
    file,
    what,
    symbol,
    currency,
    stated_as,
    stated,
    here,
  } = total as Partial<Pick<StatedTotal, 'file' | 'stated' | 'here'>> & StatedTotal;
  const source = file === undefined ? `Import ${id}` : `${file} (import ${id})`;
  const whose = symbol === null ? '' : ` of ${symbol}`;
  if (stated === undefined || here === undefined)
    return `${source}: its ${WHAT[what]}${whose} differs here.`;

  const show = (amount: number) =>
    what === 'position' ? String(amount) : format.gain(amount, currency);
  const states = stated_as === 'total' ? 'it states' : 'its rows add up to';
  return `${source}: ${states} ${WHAT[what]}${whose} ${show(stated)}, here ${show(here)}.`;
}

/**
 * Letters of symbols that a shell and a fill take as they are; others are for the user to
 * type.
 */
const PLAIN_SYMBOL = /^[\w.:/-]{1,40}$/;
const SPACED_SYMBOL = /^[\w.:/ -]{1,40}$/;

/** The command that records an opening, with the facts to fill in. */
export function fillOf(symbol: string): string {
  if (PLAIN_SYMBOL.test(symbol))
    return `journal-api fill "DATE TIME SIDE QUANTITY ${symbol} PRICE"`;

  const name = SPACED_SYMBOL.test(symbol) ? symbol : 'SYMBOL';
  return `journal-api fill 'DATE TIME SIDE QUANTITY "${name}" PRICE'`;
}
