/** A file of fills: pairs of Tradovate's Performance export, of 15 contracts, 40 pairs a day, two to three fills per trade. */
import { writeFileSync } from 'node:fs';

export const PAIRS_A_DAY = 40;
const ROOTS = [
  'MES',
  'MNQ',
  'M2K',
  'MYM',
  'MCL',
  'MGC',
  'SIL',
  'ZN',
  'ZB',
  'ZC',
  'ZS',
  'CL',
  'GC',
  'ES',
  'NQ',
];
const HEADER =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';

/** @param from number of the first pair */
export function writeFills(path: string, from: number, pairs: number): void {
  const rows = Array.from({ length: pairs }, (_, index) => row(from + index));
  writeFileSync(path, [HEADER, ...rows].join('\n'));
}

function row(n: number): string {
  const day = Math.floor(n / PAIRS_A_DAY);
  const at = Date.UTC(2021, 0, 4 + day, 14) + (n % PAIRS_A_DAY) * 300_000;
  const symbol = `${ROOTS[n % ROOTS.length]}${'HMUZ'[Math.floor(day / 90) % 4]}${(21 + Math.floor(day / 365)) % 10}`;
  const price = 4000 + ((n * 7919) % 400) / 4;
  const points = (((n * 104_729) % 41) - 20) / 4;
  const pnl = points * 5;
  const time = (ms: number) => {
    const [date, clock] = new Date(ms).toISOString().slice(0, 19).split('T') as [string, string];
    const [year, month, dayOfMonth] = date.split('-');
    return `${month}/${dayOfMonth}/${year} ${clock}`;
  };
  const money = pnl < 0 ? `$(${-pnl})` : `$${pnl}`;
  return [
    symbol,
    2 * n + 1,
    2 * n + 2,
    1,
    price,
    price + points,
    money,
    time(at),
    time(at + 60_000),
  ].join(',');
}
