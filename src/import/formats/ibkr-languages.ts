/**
 * Interactive Brokers' Activity Statement in languages other than English. Names of
 * sections and columns are translated, but not their order, the kinds of rows or the
 * codes. Columns are therefore found by position.
 */
import { RowError } from '../../errors.ts';
import { byMeaning } from '../../parse/cells.ts';
import type { CsvRow } from '../../parse/csv-rows.ts';

export interface StatementRow extends CsvRow {
  /** Reason why it isn't valid CSV; its cells are then split at each delimiter. */
  fault?: RowError;
}

/** A line of a statement: its section, kind and cells. */
export interface StatementLine {
  name: string;
  kind: string;
  row: StatementRow;
}

const LEVELS = ['Order', 'Trade', 'Execution', 'ClosedLot'];

/** Label of the account number. */
const ACCOUNT = [
  'Account',
  'Konto',
  'Compte',
  'Cuenta',
  'Conta',
  'Conto',
  'Счет',
  'Счёт',
  '账户',
  '帳戶',
  '賬戶',
  '口座',
];

const MULTIPLIER = [
  'Multiplikator',
  'Multiplicateur',
  'Multiplicador',
  'Moltiplicatore',
  'Множитель',
  '乘数',
  '乘數',
  '乗数',
];

/**
 * Whether a cell is a corporate action in any language: GAMA(US0000000001) Split 4 for 1
 * (GAMA, GAMA INC, US0000000001).
 */
function isAction(cell: string): boolean {
  const code = /.\([A-Z0-9]+\) /.exec(cell);
  const last = /, [A-Z0-9]+\)$/.exec(cell);
  if (!code || !last || !/^\S/.test(cell)) return false;
  const names = cell.slice(code.index + code[0].length, last.index);
  return /\([^(]+, ./.test(names);
}

/** A section's English name, and the cells of its lines. */
interface Translation {
  english: string;
  cellsOf: (line: StatementLine, index: number) => readonly string[];
}

/**
 * The same lines with English names for trades, corporate actions, the account and
 * multipliers.
 * @throws RowError if the trades have unknown columns
 */
export function inEnglish(lines: readonly StatementLine[]): StatementLine[] {
  if (lines.some(({ name }) => name === 'Trades')) return [...lines];

  const translations = translationsOf(lines);
  return lines.map((line, index) => {
    const { name, kind, row } = line;
    const translation = translations.get(name);
    if (translation) {
      const cells = [...translation.cellsOf(line, index)];
      return { name: translation.english, kind, row: { ...row, cells } };
    }
    if (kind !== 'Data' || !ACCOUNT.includes(row.cells[0] ?? '')) return line;

    const cells = ['Account', ...row.cells.slice(1)];
    return { name: 'Account Information', kind, row: { ...row, cells } };
  });
}

/** By the section's name in the file. */
function translationsOf(
  lines: readonly StatementLine[],
): ReadonlyMap<string, Translation> {
  const find = (kind: string, fits: (row: CsvRow) => boolean) =>
    lines.find((line) => line.kind === kind && fits(line.row));
  const translations = new Map<string, Translation>();

  const instruments = find('Header', ({ cells }) => cells.some(isMultiplier));
  if (instruments)
    translations.set(instruments.name, {
      english: 'Financial Instrument Information',
      cellsOf: ({ kind, row }) =>
        kind === 'Header' ? row.cells.map(instrumentColumn) : row.cells,
    });

  const action = find('Data', ({ cells }) => cells.some(isAction));
  if (action)
    translations.set(action.name, {
      english: 'Corporate Actions',
      cellsOf: ({ kind, row }) =>
        kind === 'Header' ? actionColumns(row, action.row) : row.cells,
    });

  const trade = find('Data', isFill);
  if (trade)
    translations.set(trade.name, { english: 'Trades', cellsOf: tradeCells(lines) });
  return translations;
}

function tradeCells(lines: readonly StatementLine[]): Translation['cellsOf'] {
  let columns: string[] = [];
  return ({ name, kind, row }, index) => {
    if (kind !== 'Header') return translated(row.cells, columns);
    const first = lines.find(
      (other, at) => at > index && other.name === name && other.kind === 'Data',
    );
    columns = first ? columnsOf(row, first.row) : row.cells;
    return columns;
  };
}

function instrumentColumn(name: string, index: number): string {
  if (index === 1) return 'Symbol';
  return isMultiplier(name) ? 'Multiplier' : name;
}

/**
 * The time precedes the description, quantity and proceeds follow it; an account may
 * follow the currency.
 */
function actionColumns({ cells }: CsvRow, first: CsvRow): string[] {
  const at = first.cells.findIndex((cell) => isAction(cell));
  const names: Record<number, string> = {
    1: 'Currency',
    [at - 1]: 'Date/Time',
    [at]: 'Description',
    [at + 1]: 'Quantity',
    [at + 2]: 'Proceeds',
    [cells.length - 1]: 'Code',
  };
  if (at === 5) names[2] = 'Account';
  return cells.map((_, index) => names[index] ?? `Column ${index + 1}`);
}

function translated(cells: readonly string[], columns: readonly string[]): string[] {
  return cells.with(
    1,
    categoryOf(cells[1] ?? '', cells[columns.indexOf('Symbol')] ?? ''),
  );
}

function isFill({ cells }: CsvRow): boolean {
  return LEVELS.includes(cells[0] ?? '') && cells.some((cell) => DATE.test(cell));
}

function isMultiplier(cell: string): boolean {
  return MULTIPLIER.includes(cell);
}

const DATE = /^\d{4}-\d\d-\d\d/;

/** Columns after the price, by their number without one of a percentage. */
const AFTER_PRICE: Readonly<Record<number, readonly string[]>> = {
  7: ['C. Price', 'Proceeds', 'Comm/Fee', 'Basis', 'Realized P/L', 'MTM P/L', 'Code'],
  6: ['Proceeds', 'Comm/Fee', 'Basis', 'Realized P/L', 'MTM P/L', 'Code'],
  5: ['Proceeds', 'Comm/Fee', 'Basis', 'Realized P/L', 'Code'],
};

/**
 * @param first the row below the header, which shows the position of the time, and
 * whether an exchange follows
 */
function columnsOf(header: CsvRow, first: CsvRow): string[] {
  const time = first.cells.findIndex((cell) => DATE.test(cell));
  const hasExchange = !/^-?[\d,]*(?:\d|\.\d+)$/.test(first.cells[time + 1] ?? '');
  const price = time + (hasExchange ? 3 : 2);
  const rest = header.cells.slice(price + 1);
  const percent = rest.findIndex((name) => name.includes('%'));
  const known = AFTER_PRICE[rest.length - (percent === -1 ? 0 : 1)];
  if (time < 4 || time > 5 || !known) {
    throw new RowError(
      null,
      'unknown columns; download the statement in English',
      header.line,
    );
  }

  const after =
    percent === -1 ? [...known] : known.toSpliced(percent, 0, 'Realized P/L %');
  // The currency of the fee is in its name.
  const fee = after.indexOf('Comm/Fee');
  const currency = / ([A-Z]{3})$/.exec(rest[fee] ?? '')?.[1];
  if (currency !== undefined) after[fee] = `Comm in ${currency}`;
  const account = time === 5 ? ['Account'] : [];
  const exchange = hasExchange ? ['Exchange'] : [];
  const before = [
    'DataDiscriminator',
    'Asset Category',
    'Currency',
    ...account,
    'Symbol',
    'Date/Time',
    ...exchange,
  ];

  return [...before, 'Quantity', 'T. Price', ...after];
}

/** English category by a known word, or by the symbol; else the word itself. */
function categoryOf(word: string, symbol: string): string {
  // "Aktien - Gehalten bei ..."
  const name = word.replace(/ - .*/s, '');
  if (Object.hasOwn(CATEGORIES, name)) return CATEGORIES[name] as string;
  if (/ \d\d[A-Z]{3}\d\d [\d.]+ [CP]$/.test(symbol)) return 'Equity and Index Options';
  return /^[A-Z]{3}\.[A-Z]{3}$/.test(symbol) ? 'Forex' : word;
}

const CATEGORIES = byMeaning({
  Stocks: [
    'Aktien, Actions, Acciones, Ações, Azioni, Акции, 股票, 株式, Fonds, Investmentfonds',
    'Fondos, Fundos, Fondi, 基金',
  ],
  'Equity and Index Options': [
    'Aktien- und Indexoptionen, Options sur actions et indices',
    'Opciones sobre acciones e índices, Opções de ações e índices',
    'Opzioni su azioni e indici, Опционы на акции и индексы, 股票和指数期权, 股票和指數期權',
  ],
  Futures: 'Futuros, Фьючерсы, 期货, 期貨, 先物',
  Forex: 'Devisen, Fórex, Divisas, Форекс, 外汇, 外匯, 外国為替',
  CFDs: 'CFD, 差价合约, 差價合約',
  Crypto: 'Kryptowährungen, 加密货币, 加密貨幣',
  Bonds: 'Anleihen, Obligations, Bonos, Obrigações, Obbligazioni, Облигации, 债券, 債券',
  Warrants: 'Optionsscheine, Варранты',
});
