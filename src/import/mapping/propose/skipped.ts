/** Rows that a proposal skips, and the question about them. */
import { skipper } from '../../table/skip-rules.ts';
import { rough } from './columns-seen.ts';
import type { Draft } from './draft.ts';
import type { Target } from './fields.ts';

/** Fields of which each trade needs a value. */
const NEEDED: Readonly<Partial<Record<Target, readonly string[]>>> = {
  fills: ['symbol', 'quantity', 'price', 'executed_at'],
  trades: ['symbol', 'quantity', 'entry_price'],
};

/** Skips rows without required values: totals, deposits, disclaimers. */
export function skipIncomplete(draft: Draft, target: Target): void {
  for (const field of NEEDED[target] ?? []) {
    const column = draft.columnOf(field);
    if (!column) continue;
    const nothing = new Set(column.all.filter((cell) => !column.cells.includes(cell)));
    if (field === 'quantity') for (const cell of column.cells) if (rough(cell) === 0) nothing.add(cell);
    const count = column.all.filter((cell) => nothing.has(cell)).length;
    if (count > 0 && count < column.all.length) {
      draft.skip.push({ column: column.name, is: [...nothing], reason: `row without ${column.name}` });
    }
  }
}

/** Skips lines of text below the table, which fill only the first column. */
export function skipNotes(draft: Draft): void {
  const column = ['quantity', 'price', 'entry_price', 'symbol']
    .map((field) => draft.columnOf(field))
    .find((own) => own !== undefined && own !== draft.columns[0]);
  const isSkipped = draft.skip.some((rule) => rule.column === column?.name && rule.is?.includes(''));
  if (column && !isSkipped) {
    draft.skip.push({ column: column.name, is: [''], reason: `row without ${column.name}` });
  }
}

/**
 * Asks about skipped rows, with counts and examples.
 * @returns the rows that aren't skipped
 */
export function askForSkipped(draft: Draft, target: Target): number[] {
  const counts = new Map<string, { count: number; words: Set<string> }>();
  const rows = draft.columns[0]?.all.length ?? 0;
  const cellOf = (row: number, name: string) => draft.columns.find((column) => column.name === name)?.all[row] ?? '';
  const rules = draft.skip.map((rule) => ({ rule, reasonOf: skipper<number>([rule], cellOf) }));
  const left: number[] = [];
  const traded: number[] = [];
  const needed = (NEEDED[target] ?? []).map((field) => draft.columnOf(field));
  for (let row = 0; row < rows; row++) {
    const first = rules.find(({ reasonOf }) => reasonOf(row) !== undefined)?.rule;
    if (!first) {
      left.push(row);
      continue;
    }
    const filled = needed.filter((column) => column?.cells.includes(column.all[row] ?? ''));
    const isTraded = filled.length >= needed.length - (first.reason === 'no trade' ? 0 : 1);
    if (isTraded && draft.at(draft.columnOf('quantity'), row) !== 0) traded.push(row);
    const reason = first.reason ?? `by ${first.column}`;
    const seen = counts.get(reason) ?? { count: 0, words: new Set() };
    const word = cellOf(row, first.column);
    if (word !== '') seen.words.add(`${first.column} ${word.slice(0, 40)}`);
    counts.set(reason, { count: seen.count + 1, words: seen.words });
  }
  if (counts.size === 0) return left;
  const shown = [...counts].map(([reason, { count, words }]) => {
    const examples = [...words].slice(0, 3).join(', ');
    return `${count} ${reason}${examples === '' ? '' : ` (${examples}${words.size > 3 ? ', …' : ''})`}`;
  });
  const count = [...counts.values()].reduce((sum, own) => sum + own.count, 0);
  const [example] = traded;
  const cells = draft.columns.map(({ all }) => all[example ?? 0] ?? '').filter((cell) => cell !== '');
  const like =
    example === undefined ? '' : ` ${traded.length} of them may be trades, such as ${cells.join(', ').slice(0, 120)}.`;
  draft.ask({
    about: 'skip',
    text: `${count} of ${rows} rows are skipped: ${shown.join('; ')}.${like} If any of them is a trade, change "skip".`,
    answers: [{ label: 'none is', patch: {} }],
    ...(traded.length > 0 ? {} : { isAssumed: true as const }),
  });
  return left;
}
