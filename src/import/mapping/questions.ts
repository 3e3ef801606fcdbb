/** The open questions of a draft, each with the columns that could answer it. */
import { quote, UserError } from '../../errors.ts';
import { MARKETS } from '../../journal/resource.ts';
import { columnsRead, type Draft, draftIn, type Mapping, OPEN } from './schema.ts';

/** What a question asks, if more than for a column. */
const ASKED: Readonly<Record<string, string>> = {
  market: `one of ${MARKETS.join(', ')}; {"value": "stock"} if all rows are of one`,
  currency: 'the currency of prices and costs; {"value": "USD"} if all rows have one',
  side: 'bought or sold; {"column": NAME, "words": {"K": "buy"}}; of closed trades long or short, whatever the words',
  fees: 'all costs of a row; a list of columns adds them, "sign" is for costs below 0; leave out what is in another',
  gross_pnl:
    'the P&L before fees; rename the field to net_pnl if it is after fees, or remove it: prices give the P&L',
  price:
    'price of a unit at which it was done, not of the order; without one, the field amount in its place',
  quantity:
    'units done, not ordered, and not money; {"bought": NAME, "sold": NAME} for two columns',
  fee_currency: 'the currency or coin of the fees; {"value": "USD"} if all rows have one',
  target:
    '"fills" (a row is a purchase or sale), "trades" (a row has entry and exit), or a record such as "sessions"',
  skip: 'rows differ by these words; list those that are no trade, or [] if all rows count',
  dates:
    'the order of day and month: "dmy" or "mdy"; both, or excel and unix, for a column by "dates" in its field',
  zone: 'the IANA time zone of its times, such as Asia/Kolkata',
  decimal:
    'the mark before decimals: ".", "," or "either"; each cell may have both or be without decimals',
};

/** Columns and values that a question shows at most. */
const MOST_COLUMNS = 8;

/**
 * Each open question in a line: its field or member, what it asks, and the columns that
 * could be it.
 */
export function questionsIn(draft: Draft): string[] {
  const fields = Object.entries(draft.fields).flatMap(([name, source]) =>
    source === OPEN ? [name] : [],
  );
  const members = (['target', 'skip', 'dates', 'zone', 'decimal'] as const).filter(
    (name) => draft[name] === OPEN,
  );

  return [
    ...[...members, ...fields].map((name) => {
      const asked = ASKED[name] ?? 'the column that has it';
      return `${name}: ${[asked, ...candidates(name, draft)].join('; could be ')}`;
    }),
    ...Object.entries(draft.unsure ?? {}).map(
      ([name, question]) => `${name}: ${question}`,
    ),
  ];
}

function candidates(name: string, draft: Draft): string[] {
  const columns = Object.entries(draft.columns ?? {});
  const used = name === 'dates' || name === 'decimal' ? [] : columnsRead(draft);
  const fits = columns.filter(
    ([column, seen]) => !used.includes(column) && couldBe(name, seen),
  );
  const kin = name === 'skip' ? columns.filter(([, seen]) => !Array.isArray(seen)) : fits;
  if (kin.length === 0) return [];

  const shown = kin
    .slice(0, MOST_COLUMNS)
    .map(([column, seen]) => `${quote(column)} (${valuesOf(seen)})`);
  return [
    shown.join(', ') +
      (kin.length > MOST_COLUMNS ? ` and ${kin.length - MOST_COLUMNS} more` : ''),
  ];
}

type Seen = NonNullable<Draft['columns']>[string];

function valuesOf(seen: Seen): string {
  const values = Array.isArray(seen)
    ? seen
    : Object.entries(seen).map(([word, count]) => `${word || 'empty'} ${count}`);
  return values
    .slice(0, MOST_COLUMNS)
    .map((value) => quote(value).slice(1, -1))
    .join(', ');
}

const FIGURES = [
  'quantity',
  'price',
  'entry_price',
  'exit_price',
  'fees',
  'gross_pnl',
  'strike',
  'multiplier',
  'decimal',
];
const TIMES = ['executed_at', 'closed_at', 'expiration', 'dates'];
const CODES = ['currency', 'fee_currency'];

/** Whether the values of a column are of the kind that a field has. */
function couldBe(name: string, seen: Seen): boolean {
  const values = Array.isArray(seen) ? seen : Object.keys(seen);
  const has = (pattern: RegExp) => values.some((value) => pattern.test(value));
  const isTime = has(
    /\d[-/.]\d+[-/.]\d|\d:\d\d|^\d{8}$|^1\d{9}(\d{3})?$|^\d\d? \p{L}{3}|^\p{L}{3,} \d/u,
  );
  if (TIMES.includes(name)) return isTime || has(/^\d{5}(\.\d+)?$/);
  if (FIGURES.includes(name))
    return !isTime && has(/^[^\p{L}]{0,3}\d[\d.,'’\s]*\D{0,6}$/u);
  if (CODES.includes(name)) return has(/\b[A-Z]{3,4}\b|[$€£¥₹]/);

  return name !== 'target' && name !== 'zone' && !isTime && has(/\p{L}|^[-+]?1$/u);
}

/**
 * @param value contents of a mapping file
 * @throws UserError that names the place and the valid values, or the open questions of a
 * draft
 */
export function mappingOf(value: unknown): Mapping {
  const draft = draftIn(value);
  const questions = questionsIn(draft);
  if (questions.length === 0) return draft as Mapping;

  throw new UserError(
    `has open questions; replace each "?" and import again:\n${questions.map((line) => `  ${line}`).join('\n')}`,
  );
}
