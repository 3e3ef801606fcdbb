/**
 * Interactive Brokers' Flex Query, as XML or CSV. The user chose the attributes of
 * trades. Executions are imported, or orders if a statement has no executions. In code
 * because XML elements aren't a table; CSV is converted to the same elements.
 */
import { quote, RowError } from '../../errors.ts';
import { type CsvRow, csvRows, isEmpty } from '../../parse/csv-rows.ts';
import { type DecidedOrder, dayOrderOf, type KnownDates } from '../../parse/times.ts';
import { type XmlElement, xmlElements } from '../../parse/xml.ts';
import {
  byTime,
  type FileFill,
  type FileFlow,
  reading,
  type WholeReading,
} from '../fills/reading.ts';
import { type Format, type OtherRows, otherRows } from '../tables/format.ts';
import {
  cellOf,
  codesOf,
  type Deal,
  dealIn,
  lotIn,
  NAMES,
  type Row,
  type Statement,
  zoneIn,
} from './ibkr.ts';
import {
  conversionFlows,
  endingCashOf,
  fillsOf,
  flowOfElement,
  flowOfTransfer,
  takeAction,
} from './ibkr-events.ts';
import { KNOWN } from './known.ts';

const EXECUTIONS = ['Trade', 'TradeConfirm'];

/** Elements that are rows, not containers, with reasons for skipping them. */
const ROWS = new Map<string, string>([
  ...['Trade', 'TradeConfirm', 'Order'].map(
    (name) => [name, 'order with executions in the file'] as const,
  ),
  ['Lot', 'closed lot'],
  ['WashSale', 'wash sale'],
  ['SymbolSummary', 'total line'],
  ['AssetSummary', 'total line'],
  ['StatementOfFundsLine', 'line of the statement of funds'],
  ['CashTransaction', 'dividend, interest or other cash'],
  ['Other', 'row of another section'],
  ['Transfer', 'transfer between accounts'],
  ['CorporateAction', 'corporate action'],
]);

export const ibkrFlex: Format = {
  ...KNOWN['ibkr-flex'],
  read(text, context) {
    const { zone, note } = zoneIn(context);
    const elements = text.trimStart().startsWith('<')
      ? xmlElements(text)
      : flexElements(text);
    const others = otherRows();
    const { order, notes: ofDates, dates } = orderOf(elements, context.dates);
    const statements = statementsOf(elements).map((statement) =>
      eventsIn(statement, { ...statementOf(statement), zone, order }, others),
    );
    const fills = statements.flatMap((statement) => statement.fills).sort(byTime);
    const mayBeShort = fills.some(
      ({ side, mayShort, kind }) => side === 'sell' && !mayShort && kind === 'trade',
    );
    const lacksEffects = mayBeShort && !fills.some(({ effect }) => effect);
    const notes = [
      note,
      ...ofDates,
      ...others.movedNotes(),
      ...(lacksEffects ? [NO_EFFECTS] : []),
      ...withoutFees(elements),
      ...withoutPayout(elements),
    ];
    const rows = elements.filter(({ name }) => ROWS.has(name)).length;

    return reading({
      rows,
      fills,
      flows: statements.flatMap((statement) => statement.flows),
      cash: statements.flatMap((statement) => statement.cash),
      skipped: others.skipped,
      notes,
      dates,
    });
  },
};

const NO_EFFECTS =
  'the query lacks Open/Close Indicator: a sale without an open position may be a short, but stays unmatched; tick it in the section Trades of the query';

/** Elements by account statement, each with its FlexStatement first. */
function statementsOf(elements: readonly XmlElement[]): XmlElement[][] {
  const statements: XmlElement[][] = [];
  for (const element of elements) {
    if (element.name === 'FlexStatement') statements.push([element]);
    else statements.at(-1)?.push(element);
  }
  return statements;
}

/** Names of date attributes. */
const DATES = ['dateTime', 'tradeDate', 'reportDate', 'expiry'];

/**
 * The order in 20230210, 2023-02-10, 02/10/2023, 10/02/23; dates with a month's name are
 * year first after conversion.
 */
function orderOf(
  elements: readonly XmlElement[],
  known: KnownDates | undefined,
): DecidedOrder {
  const cells = elements.flatMap(({ attributes, line }) =>
    DATES.flatMap((column) => {
      const text = attributes[column]?.trim();
      return text ? { text, column, line } : [];
    }),
  );
  const isYearLast = cells.every(({ text }) => /^\d{1,2}[-/.]\d/.test(text));
  return isYearLast ? dayOrderOf(cells, known) : { order: 'ymd', notes: [] };
}

function statementOf(elements: readonly XmlElement[]): Omit<Statement, 'zone' | 'order'> {
  const attribute = (name: string, key: string) =>
    elements.find((element) => element.name === name && element.attributes[key])
      ?.attributes[key] ?? null;

  const atOne = elements
    .filter(
      ({ name, attributes }) =>
        EXECUTIONS.includes(name) && Number(attributes['fxRateToBase']) === 1,
    )
    .map(({ attributes }) => attributes['currency'] ?? '');
  const [only = null, ...others] = new Set(atOne);
  const rates = new Map<string, number>();

  for (const { name, attributes } of elements) {
    if (name !== 'ConversionRate') continue;
    rates.set(
      `${attributes['reportDate']} ${attributes['fromCurrency']}`,
      Number(attributes['rate']),
    );
  }

  return {
    account: attribute('FlexStatement', 'accountId'),
    base:
      attribute('AccountInformation', 'currency') ?? (others.length === 0 ? only : null),
    rates,
    multipliers: new Map(),
    isQuery: true,
  };
}

/** What a statement holds. */
type Events = Pick<WholeReading, 'fills' | 'flows' | 'cash'>;

function eventsIn(
  elements: readonly XmlElement[],
  statement: Statement,
  others: OtherRows,
): Events {
  const isDeal = dealsAmong(elements);
  const isSummary = isSummaryIn(elements);
  const flowsOf = (element: XmlElement, isTrade: boolean, of: Statement) =>
    isSummary(element) ? [] : flowsIn(element, isTrade, of);
  const deals: Deal[] = [];
  const changes: FileFill[] = [];
  const flows: FileFlow[] = [];

  for (const element of elements) {
    const reason = ROWS.get(element.name);
    if (reason === undefined) continue;

    const found = flowsOf(element, isDeal(element), statement);
    for (const flow of found) flows.push(flow);
    if (found.length === 0 && isDeal(element))
      deals.push(dealIn(rowOf(element), statement));
    else if (element.name === 'CorporateAction')
      takeAction(rowOf(element), statement, changes, others);
    else if (found.length === 0) others.skip(reason);

    takeBeside(element, deals.at(-1), statement, others);
  }

  const reports = elements.filter(({ name }) => name === 'CashReportCurrency');
  const cash = reports.flatMap((element) => endingCashOf(rowOf(element), statement));

  return { fills: fillsOf(deals, changes), flows, cash };
}

/** Whether an element is a trade: an execution, or an order if there are none. */
function dealsAmong(elements: readonly XmlElement[]): (element: XmlElement) => boolean {
  const isExecution = ({ name, attributes }: XmlElement) =>
    EXECUTIONS.includes(name) &&
    ['', 'EXECUTION', 'DETAIL'].includes(attributes['levelOfDetail'] ?? '');
  const isOrder = ({ name, attributes }: XmlElement) =>
    name === 'Order' || attributes['levelOfDetail'] === 'ORDER';

  const hasExecutions = elements.some(isExecution);
  return (element) => isExecution(element) || (!hasExecutions && isOrder(element));
}

/** Totals of cash by day, in a query that has their details, too. */
function isSummaryIn(elements: readonly XmlElement[]): (element: XmlElement) => boolean {
  const levels = elements.map(({ attributes }) =>
    attributes['levelOfDetail']?.toUpperCase(),
  );
  const hasDetails = levels.includes('DETAIL');
  return ({ attributes }) =>
    hasDetails && attributes['levelOfDetail']?.toUpperCase() === 'SUMMARY';
}

function flowsIn(element: XmlElement, isDeal: boolean, statement: Statement): FileFlow[] {
  const row = rowOf(element);
  if (isDeal)
    return codesOf(row).isConversion ? conversionFlows(dealIn(row, statement)) : [];
  if (element.name === 'CashTransaction')
    return [flowOfElement(row, statement) ?? []].flat();
  if (element.name === 'Transfer') return [flowOfTransfer(row, statement) ?? []].flat();
  return [];
}

/** What a row states beside its own: the lot of a trade, units of a transfer. */
function takeBeside(
  element: XmlElement,
  deal: Deal | undefined,
  statement: Statement,
  others: OtherRows,
): void {
  if (element.name === 'Lot') takeLot(rowOf(element), deal, statement);
  if (element.name === 'Transfer') takeTransfer(element, others);
}

function takeTransfer({ attributes, line }: XmlElement, others: OtherRows): void {
  const { symbol = '', quantity = '' } = attributes;
  if (Number(quantity) !== 0 && symbol !== '') others.moved({ text: symbol, line });
}

/** Gives a lot to the row above it that closed it. */
function takeLot(row: Row, deal: Deal | undefined, statement: Statement): void {
  const lot = lotIn(row, statement, 'openDateTime');
  if (!lot || !deal || cellOf(row, 'symbol').text !== deal.symbol) return;
  deal.fill.lots = [...(deal.fill.lots ?? []), lot];
}

function rowOf({ attributes, line }: XmlElement): Row {
  const cell = (column: string) => {
    const text = attributes[column];
    return text === undefined ? undefined : { text: text.trim(), column, line };
  };
  return { line, cell };
}

// CSV has the XML's attributes as columns, with names in other letter case, in one or
// several tables.

/** Attributes of columns with names that differ in more than letter case and a slash. */
const ATTRIBUTES = new Map([
  ['ClientAccountID', 'accountId'],
  ['CurrencyPrimary', 'currency'],
  ['AssetClass', 'assetCategory'],
]);

/** Elements of trades by level of detail. */
const ELEMENTS: Readonly<Record<string, string>> = {
  ORDER: 'Order',
  CLOSED_LOT: 'Lot',
  WASH_SALE: 'WashSale',
  SYMBOL_SUMMARY: 'SymbolSummary',
  ASSET_SUMMARY: 'AssetSummary',
};

/** Markers of lines between tables. */
const BETWEEN = ['BOF', 'BOA', 'BOS', 'EOS', 'EOA', 'EOF', 'MSG', 'TRAILER'];

/** @returns a statement with its trades and rates, in the form of the XML */
function flexElements(text: string): XmlElement[] {
  const elements: XmlElement[] = [{ name: 'FlexStatement', attributes: {}, line: 1 }];
  let names: string[] = [];
  for (const row of csvRows(text)) {
    const cells = cellsWithoutMarks(row);
    if (isEmpty(row) || BETWEEN.includes(cells[0] ?? '')) continue;

    const isHeader = ['CurrencyPrimary', 'ClientAccountID', 'FromCurrency'].some((name) =>
      cells.includes(name),
    );
    if (isHeader || row.cells[0]?.trim() === 'HEADER') {
      names = cells;
    } else {
      const attributes = attributesOf(names, cells, row.line);
      const name = elementOf(sectionOf(row), names, attributes);
      if (name === 'ConversionRate')
        attributes['reportDate'] ??= attributes['date'] ?? attributes['dateTime'] ?? '';
      elements.push({ name, attributes, line: row.line });
    }
  }

  return elements;
}

/** @throws RowError for a line that is cut off, or two values of one name */
function attributesOf(
  names: readonly string[],
  cells: readonly string[],
  line: number,
): Record<string, string> {
  if (cells.length < names.length) {
    throw new RowError(
      null,
      `has ${cells.length} cells, but the header has ${names.length}`,
      line,
    );
  }

  const attributes: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const key = attributeOf(name);
    const cell = cells[index] ?? '';
    const known = Object.hasOwn(attributes, key) ? attributes[key] : undefined;
    if (known !== undefined && known !== cell) {
      throw new RowError(
        name,
        `is there twice, with ${quote(known)} and ${quote(cell)}; keep one of the columns`,
        line,
      );
    }

    attributes[key] = cell;
  }

  return attributes;
}

/** The cells of a line, without leading marks of its kind and section. */
function cellsWithoutMarks({ cells }: CsvRow): string[] {
  const texts = cells.map((cell) => cell.trim());
  return texts[0] === 'HEADER' || texts[0] === 'DATA' ? texts.slice(2) : texts;
}

function attributeOf(name: string): string {
  return (
    ATTRIBUTES.get(name) ??
    name
      .replace(/[/ ]/g, '')
      .replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]/, (capitals) => capitals.toLowerCase())
  );
}

/** Sections by the marks that lines may begin with. */
const SECTIONS: Readonly<Record<string, string>> = {
  TRNT: 'Trade',
  CORP: 'CorporateAction',
  CTRN: 'CashTransaction',
  STFU: 'StatementOfFundsLine',
  RATE: 'ConversionRate',
};

function sectionOf({ cells: [kind = '', section = ''] }: CsvRow): string | undefined {
  return kind.trim() === 'DATA' ? SECTIONS[section.trim()] : undefined;
}

/** @param section by the mark of the line, if it has one; else the columns decide */
function elementOf(
  section: string | undefined,
  names: readonly string[],
  { levelOfDetail = '' }: Readonly<Record<string, string>>,
): string {
  const element = section ?? elementWith(names);
  return element === 'Trade'
    ? (ELEMENTS[levelOfDetail.toUpperCase()] ?? element)
    : element;
}

function elementWith(names: readonly string[]): string {
  const has = (name: string) => names.includes(name);
  if (has('FromCurrency')) return 'ConversionRate';
  if (has('ActivityCode')) return 'StatementOfFundsLine';
  if (has('Quantity') && (has('ActionID') || has('ActionDescription')))
    return 'CorporateAction';
  if (has('Direction')) return 'Transfer';
  if (isTrades(names)) return 'Trade';
  return has('Quantity') ? 'Other' : 'CashTransaction';
}

/**
 * Attributes of which trades have one; exercises have a quantity and a price too, but a
 * date of another name.
 */
const OF_TRADES = [
  'buySell',
  'tradePrice',
  'price',
  'tradeMoney',
  'ibCommission',
  'ibExecID',
  'openCloseIndicator',
];

function isTrades(names: readonly string[]): boolean {
  const attributes = names.map(attributeOf);
  const has = (...some: readonly string[]) =>
    some.some((name) => attributes.includes(name));
  return (
    has('buySell') ||
    (has('quantity') && has('dateTime', 'tradeDate') && has(...OF_TRADES))
  );
}

/** Notes on a query without the commissions of its trades, or without their currency. */
function withoutFees(elements: readonly XmlElement[]): string[] {
  const trades = elements.filter(({ name }) => EXECUTIONS.includes(name));
  const has = (...names: readonly string[]) =>
    trades.some(({ attributes }) => names.some((name) => attributes[name] !== undefined));
  const isLocal =
    new Set(trades.map(({ attributes }) => attributes['currency'])).size === 1;
  if (trades.length === 0) return [];
  if (!has(...NAMES.fee))
    return [
      'the query lacks IB Commission: fees are 0; tick it in the section Trades of the query',
    ];

  if (isLocal || has(...NAMES.feeCurrency)) return [];
  return [
    'the query lacks IB Commission Currency: fees count in the currency of their trade; tick it in the section Trades of the query',
  ];
}

/**
 * Notes on options settled in cash: a trade without its realised P&L has no amount of the
 * settlement.
 */
function withoutPayout(elements: readonly XmlElement[]): string[] {
  const settled = elements.filter(
    ({ attributes }) => attributes['transactionType'] === 'Cash Settlement',
  );
  const symbols = [
    ...new Set(settled.map(({ attributes }) => attributes['symbol'] ?? '')),
  ].filter((symbol) => {
    const ofAsset = elements.filter(
      ({ name, attributes }) =>
        EXECUTIONS.includes(name) && attributes['symbol'] === symbol,
    );
    return ofAsset.every(({ attributes }) => attributes['fifoPnlRealized'] === undefined);
  });
  if (symbols.length === 0) return [];

  const names = symbols.map((symbol) => symbol.replace(/ +/g, ' ')).join(', ');

  return [
    `settled in cash for an amount that isn't in this file and counts as 0: ${names}; tick Realized P/L and Cost Basis in the section Trades of the query`,
  ];
}
