/** Checks a proposal against the P&L of its closed trades. */
import { contractSize } from '../../parse/instruments.ts';
import { mappedReading } from '../format.ts';
import type { Settings } from '../proposal.ts';
import { columnsRead, type Mapping, type Source } from '../schema.ts';
import { namedRows } from '../table.ts';
import { rough, wordsOf } from './columns-seen.ts';
import type { Draft } from './draft.ts';
import { fitOf } from './names.ts';
import { positionMeaning } from './words.ts';

/** Compares P&L with prices to decide whether it is before or after fees, and whether the side is the exit's. */
export function fittedToPnl(mapping: Mapping, bytes: Buffer, settings: Settings, draft: Draft): Mapping {
  const { gross_pnl: gross, net_pnl: net, side, ...fields } = mapping.fields;
  if (mapping.target !== 'trades' || (gross ?? net) === undefined) return mapping;
  const name = draft.columnOf('gross_pnl')?.name ?? '';
  const isGuess =
    gross !== undefined && net === undefined && fitOf(name, 'gross_pnl') < 1.5 && fields['fees'] !== undefined;
  const pnls = isGuess
    ? [{ gross_pnl: gross }, { net_pnl: gross }]
    : [{ ...(gross && { gross_pnl: gross }), ...(net && { net_pnl: net }) }];
  const sides = side === undefined ? [{}] : [{ side }, ...opposite(side, draft)];
  const tried = sides.flatMap((ownSide) =>
    pnls.map((pnl) => {
      const own: Mapping = { ...mapping, fields: { ...fields, ...ownSide, ...pnl } };
      return { mapping: own, apart: deviation(own, bytes, settings) };
    }),
  );
  const least = Math.min(...tried.map(({ apart }) => apart));
  const best = tried.filter(({ apart }) => apart <= least + 0.01);
  const hasFees = draft.columnOf('fees')?.cells.some((cell) => rough(cell) !== 0) ?? true;
  if (isGuess && best.length > 1 && hasFees) {
    draft.ask({
      about: 'gross_pnl',
      text: `Is ${name} before or after fees? If after, rename the field to net_pnl.`,
      answers: [{ label: 'before fees', patch: {} }],
    });
  }
  if (Number.isFinite(least) && least > 0.02 * tried.length && best.length < tried.length) {
    draft.ask({
      about: 'net_pnl',
      text: `${name} differs from the prices by ${least.toFixed(2)} in total. Is it after fees that no column has?`,
      answers: [{ label: 'kept as in the file', patch: {} }],
    });
  }
  return best[0]?.mapping ?? mapping;
}

/** The opposite side: some platforms state that of the closing order. */
function opposite(side: Source, draft: Draft): { side: Source }[] {
  const column = draft.columnOf('side');
  if (typeof side === 'object' && 'value' in side) return [];
  const words = Object.fromEntries(
    wordsOf(column ?? { cells: [], all: [], name: '' }).flatMap((word) => {
      const meaning = positionMeaning(word);
      return meaning === undefined ? [] : [[word, meaning === 'long' ? 'short' : 'long'] as const];
    }),
  );
  return column ? [{ side: { column: column.name, words } }] : [];
}

/** Total difference between P&L and prices of closed trades; Infinity if the rows can't be read. */
function deviation(mapping: Mapping, bytes: Buffer, settings: Settings): number {
  try {
    const { rows } = namedRows(bytes, { ...mapping, columns: columnsRead(mapping) });
    const { records } = mappedReading(
      rows,
      { file: '', mapping, lookups: new Map<string, Map<string, string>>() },
      settings,
    );
    return [...records].reduce((sum, { values }) => sum + apart(values as Record<string, number>), 0);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Uses the contract's specified size, never one derived from P&L. */
function apart(values: Record<string, unknown>): number {
  if (values['status'] !== 'closed') return 0;
  const {
    quantity,
    entry_price: entry,
    exit_price: exit,
    gross_pnl: gross,
    multiplier,
  } = values as Record<string, number>;
  const isPlain = values['market'] === 'stock' || values['market'] === 'crypto';
  const size = contractSize(String(values['underlying']))?.multiplier ?? Number(multiplier);
  const points = (Number(exit) - Number(entry)) * Number(quantity) * (values['side'] === 'long' ? 1 : -1);
  return Math.abs(Number(gross) - points * (isPlain ? 1 : size));
}
