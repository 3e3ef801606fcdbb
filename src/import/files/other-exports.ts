/**
 * Files often mistaken for an export with trades, and platforms' exports without any:
 * what each is, and what to export instead.
 */
import { hasMarks } from '../tables/format.ts';

interface Other {
  begins?: RegExp;
  /** Columns of its header: A|B, C. */
  columns?: string;
  is: string;
}

const OTHERS: readonly Other[] = [
  {
    begins: /^%PDF/,
    is: "is a PDF, which can't be imported; export CSV from the platform",
  },
  {
    begins: /^(?:ÐÏ|\ufffd\ufffd)\p{Cc}/u,
    is: 'is an older workbook (.xls); open it and save it as .xlsx',
  },
  { begins: /^(PK|\p{Cc})/u, is: 'is an archive; unpack it and import its files' },
  {
    begins: /^\s*<[^>]{0,400}urn:schemas-microsoft-com:office:excel/i,
    is: 'is a workbook saved as a web page; open it in Excel and save it as .xlsx',
  },
  {
    begins:
      /^\s*<(?:!doctype html|html)[\s\S]*(?:Activity Statement|tblAccountInformation)/i,
    is: "is Interactive Brokers' activity statement as a web page; download it as CSV: Performance & Reports > Statements > Activity > CSV",
  },
  {
    begins: /^<(!doctype html|html)/i,
    is: 'is a web page (perhaps a login page), not an export of a known platform',
  },
  {
    begins: /^OFXHEADER[\s\S]*<(?:BANKMSGSRSV1|CREDITCARDMSGSRSV1)>/,
    is: 'is a statement of a bank account, which has no trades; download that of the investment account',
  },
  {
    begins:
      /^(?:[^,;\r\n]{0,40}[,;]){4}[^,;\r\n]{0,20}ISIN[^,;\r\n]{0,20}[,;](?:[^,;\r\n]{0,40}[,;]){3}[,;][^,;\r\n]{0,40}[,;]{2}[^,;\r\n]{0,40}[\r\n]/,
    is: "is DEGIRO's account statement, which has no trades; export Inbox > Transactions",
  },
  { begins: /^$/, is: 'is empty' },
  {
    columns: 'Order, Date, Coin, Futures|Type, Amount|sum, Fee',
    is: "is Bitget's list of transactions, which has no fills; export the order history instead: Orders > Futures or Spot > Order history",
  },
  {
    columns: 'Scrip Name, Buy Qty.|Buy Qty, Buy Value, Sell Qty.|Sell Qty, Sell Value',
    is: "is Dhan's report of totals, which has no fills; export Reports > Trade history instead",
  },
  {
    begins: /^[^\r\n]{0,100}UPSTOX/i,
    is: 'is a report of Upstox without trades, such as holdings or a P&L; export Reports > Trades',
  },
  {
    begins: /^"?Report Title"?,"?(?!Tradebook)/i,
    is: 'is a report of FYERS without trades, such as holdings or a P&L; export Reports > Tradebook',
  },
  {
    begins: /^[^\r\n]{0,100}[\r\n]+"?Unique Client Code"?,/i,
    is: 'is a report of Groww without closed trades, such as holdings; export Reports > Stocks P&L',
  },
  {
    columns: 'Instrument, Qty., Avg. cost, LTP',
    is: "is Zerodha's list of holdings, which has no trades; export Console > Reports > Tradebook",
  },
  {
    columns: 'Symbol, ISIN, Quantity Available, Average Price',
    is: "is Zerodha's list of holdings, which has no trades; export Console > Reports > Tradebook",
  },
  {
    columns:
      'Stock Name, ISIN, Quantity, Average buy price|Avg buy price, Closing price|Closing value',
    is: "is Groww's list of holdings, which has no trades; export Reports > Stocks P&L",
  },
  {
    columns: 'Symbol, ISIN, Quantity, Buy Value, Sell Value, Realized P&L',
    is: "is Zerodha's P&L, which has totals without days; export Console > Reports > Tradebook",
  },
  {
    columns:
      'Pairs, Direction, Average Filled Price, Filled Quantity, Order Amount, Status',
    is: "is MEXC's order history, which has no fees; export Orders > Spot orders > Trade history",
  },
  {
    columns: 'orderCreatedAt, symbol, dealSize, dealFunds, averagePrice',
    is: "is KuCoin's order history as it was in 2021; export the orders or the trade history again",
  },
  {
    columns:
      'Position Create Time, Instrument Name, Average Open Price, Average Close Price',
    is: "is OKX's position history, which has no fills; export Assets > Order center > Trading history",
  },
  {
    columns: 'Account Number, Symbol, Last Price, Current Value, Cost Basis Total',
    is: "is Fidelity's list of positions, which has no trades; download Activity & Orders > History",
  },
  {
    columns: 'Symbol, Description, Mkt Val (Market Value)|Market Value, Cost Basis',
    is: "is Schwab's list of positions, which has no trades; export Accounts > History",
  },
  {
    columns:
      'Quantity|Qty|Qty.|Net Qty|Units|Shares, Average price|Avg price|Avg. price|Avg. cost|Average cost|Buy average|Cost basis|Average buy price|Rate, LTP|Last price|Current price|Closing price|Market price|Current value|Market value|Present value|Current Value (INR)',
    is: 'is a list of holdings, which has no trades; export the trades, orders or transactions of that platform instead',
  },
];

/**
 * What a file without trades is and what to export instead; undefined for other files.
 */
export function otherExport(start: string): string | undefined {
  const text = start.trim() === '' ? '' : start;
  const has = (columns: string) =>
    hasMarks(
      text,
      columns.split(', ').map((name) => name.split('|')),
    );
  return OTHERS.find(({ begins, columns = '' }) =>
    begins ? begins.test(text) : has(columns),
  )?.is;
}
