/** A Flex Query as CSV: the XML's attributes as columns, with names in other letter case, in one or several tables. */
import { type CsvRow, csvRows, headerIn, isEmpty } from '../parse/csv-rows.ts';
import type { XmlElement } from '../parse/xml.ts';

/** Attributes of columns with names that differ in more than the first letter. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  ClientAccountID: 'accountId',
  CurrencyPrimary: 'currency',
  AssetClass: 'assetCategory',
  FXRateToBase: 'fxRateToBase',
  IBCommission: 'ibCommission',
  IBCommissionCurrency: 'ibCommissionCurrency',
  IBExecID: 'ibExecID',
  IBOrderID: 'ibOrderID',
  'Put/Call': 'putCall',
  'Buy/Sell': 'buySell',
  'Date/Time': 'dateTime',
  'Notes/Codes': 'notes',
  'Open/CloseIndicator': 'openCloseIndicator',
};

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

/** @param start the beginning of a file */
export function isFlexCsv(start: string): boolean {
  if (/^"?(BOF|HEADER)"?[,;\t]/m.test(start))
    return start.includes('ClientAccountID') || start.includes('CurrencyPrimary');
  if (/^"?ClientAccountID"?[,;\t]/m.test(start)) return true;
  return headerIn(start, ['Buy/Sell', 'CurrencyPrimary', 'Quantity']) !== undefined;
}

/** @returns a statement with its trades and rates, in the form of the XML */
export function flexElements(text: string): XmlElement[] {
  const elements: XmlElement[] = [{ name: 'FlexStatement', attributes: {}, line: 1 }];
  let names: string[] = [];
  for (const row of csvRows(text)) {
    const cells = ownCells(row);
    if (isEmpty(row) || BETWEEN.includes(cells[0] ?? '')) continue;
    if (cells.includes('CurrencyPrimary') || cells.includes('ClientAccountID') || cells.includes('FromCurrency')) {
      names = cells;
    } else {
      const attributes = Object.fromEntries(names.map((name, index) => [attributeOf(name), cells[index] ?? '']));
      const name = elementOf(names, attributes);
      if (name === 'ConversionRate') attributes['reportDate'] ??= attributes['date'] ?? attributes['dateTime'] ?? '';
      elements.push({ name, attributes, line: row.line });
    }
  }
  return elements;
}

/** The cells of a line, without leading marks of its kind and section. */
function ownCells({ cells }: CsvRow): string[] {
  const own = cells.map((cell) => cell.trim());
  return own[0] === 'HEADER' || own[0] === 'DATA' ? own.slice(2) : own;
}

function attributeOf(name: string): string {
  const known = Object.hasOwn(ATTRIBUTES, name) ? ATTRIBUTES[name] : undefined;
  return known ?? name.charAt(0).toLowerCase() + name.slice(1);
}

function elementOf(names: readonly string[], { levelOfDetail = '' }: Readonly<Record<string, string>>): string {
  if (names.includes('FromCurrency')) return 'ConversionRate';
  if (!names.includes('Buy/Sell')) return 'CashTransaction';
  return ELEMENTS[levelOfDetail.toUpperCase()] ?? 'Trade';
}
