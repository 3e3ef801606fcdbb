/**
 * Results as the key shows them: money or, if it hides money, R. The only place that
 * chooses between the two.
 */
import type { Formats } from './format.ts';
import { hidesMoney, useSession } from './session.ts';

type Written = (value: number | null | undefined) => string;

export interface Results {
  isInR: boolean;
  /** As a heading. */
  name: 'Net P&L' | 'R';
  /** Of days, as a heading. */
  nameOfDays: 'Realised P&L' | 'R';
  ofTrade: (trade: {
    net_pnl_base?: number | null | undefined;
    r_multiple: number | null;
  }) => number | null;
  /** Of a row of figures. */
  ofRow: (row: { net_pnl: number; total_r: number | null }) => number | null;
  /** With + and −. */
  gain: Written;
  shortGain: Written;
  /** Without a unit, if the context shows it. */
  bareGain: Written;
  /** The same in a small cell. */
  cellGain: Written;
  /** A drawdown. */
  fall: Written;
  axis: Written;
}

function resultsOf(format: Formats, isInR: boolean): Results {
  return isInR ? inR(format) : inMoney(format);
}

export function useResults(): Results {
  const { format, me } = useSession();
  return resultsOf(format, hidesMoney(me));
}

const inMoney = (format: Formats): Results => ({
  isInR: false,
  name: 'Net P&L',
  nameOfDays: 'Realised P&L',
  ofTrade: ({ net_pnl_base = null }) => net_pnl_base,
  ofRow: ({ net_pnl }) => net_pnl,
  gain: format.gain,
  shortGain: format.shortGain,
  bareGain: format.bareGain,
  cellGain: format.cellGain,
  fall: format.money,
  axis: format.axisMoney,
});

const inR = (format: Formats): Results => ({
  isInR: true,
  name: 'R',
  nameOfDays: 'R',
  ofTrade: ({ r_multiple }) => r_multiple,
  ofRow: ({ total_r }) => total_r,
  gain: format.r,
  shortGain: format.r,
  bareGain: format.signedDecimal,
  cellGain: format.cellGain,
  fall: (drawdown) => format.r(-(drawdown ?? 0)),
  axis: format.decimal,
});
