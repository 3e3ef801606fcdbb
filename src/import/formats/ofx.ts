/**
 * OFX and QFX investment statements of any broker: SGML, whose elements with a value have
 * no end, or XML. It is no table, so it has a reader of its own. A transaction's total is
 * the cash paid or received.
 */

import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import {
  byMeaning,
  type Cell,
  cellError,
  knownWord,
  numberIn,
  positiveIn,
  wordIn,
} from '../../parse/cells.ts';
import { type Instrument, occOption, option, stock } from '../../parse/instruments.ts';
import {
  assumedZone,
  DAYS_ONLY,
  dateIn,
  dayStartIn,
  instantIn,
} from '../../parse/times.ts';
import {
  byTime,
  type FileFill,
  type FileFlow,
  type FlowMeanings,
  fill,
  flowKindOf,
  reading,
  type StatedCash,
} from '../fills/reading.ts';
import { type Format, otherRows } from '../tables/format.ts';
import { KNOWN } from './known.ts';

/** An aggregate with its values: the first of each name. */
interface Element {
  name: string;
  line: number;
  values: ReadonlyMap<string, string>;
  account: string | null;
  currency: string;
}

const SIDES = byMeaning({
  buy: 'BUYSTOCK, BUYMF, BUYOPT, BUYDEBT, BUYOTHER, REINVEST',
  sell: 'SELLSTOCK, SELLMF, SELLOPT, SELLDEBT, SELLOTHER',
});

const CLOSURES = {
  EXPIRE: 'expiration',
  ASSIGN: 'assignment',
  EXERCISE: 'exercise',
} as const;

/** Transactions without a trade. */
const OTHERS = byMeaning({
  'income or expense': 'INCOME, INVEXPENSE, MARGININTEREST, RETOFCAP',
  'movement of cash': 'INVBANKTRAN, JRNLFUND',
  'securities moved': 'TRANSFER, JRNLSEC',
});

const ELEMENTS = new Set([
  ...Object.keys(SIDES),
  ...Object.keys(OTHERS),
  'CLOSUREOPT',
  'SPLIT',
]);
const BALANCES = 'INVBAL';
const SECURITIES = new Set(['STOCKINFO', 'MFINFO', 'OPTINFO', 'DEBTINFO', 'OTHERINFO']);

export const ofx: Format = {
  ...KNOWN.ofx,
  read(text, context) {
    const elements = elementsIn(text);
    const securities = new Map(
      elements
        .filter(({ name }) => SECURITIES.has(name))
        .map((element) => [element.values.get('UNIQUEID') ?? '', element]),
    );
    const transactions = elements.filter(({ name }) => ELEMENTS.has(name));
    const isDaysOnly = hasDaysOnly(
      transactions.map(({ values }) => values.get('DTTRADE') ?? ''),
    );
    const { zone, note } = assumedZone(context);
    const { skipped, skip, moved, movedNotes } = otherRows();
    const withoutTerms: Element[] = [];
    const clock = { zone, isDaysOnly };
    const flows = transactions.flatMap((element) =>
      element.name === 'REINVEST' && hasIncome(element, transactions)
        ? []
        : (flowOf(element, securities, clock) ?? []),
    );
    const moving = new Set(flows.map(({ line }) => line));
    const fills = transactions.flatMap((element): FileFill[] => {
      const instrument = isFill(element) ? instrumentOf(element, securities) : undefined;
      if (isFill(element) && !instrument) {
        withoutTerms.push(element);
        skip('option without its terms in SECLIST');
        return [];
      }

      if (instrument)
        return [fillOf(element, instrument, isBond(element, securities), clock)];
      if (moving.has(element.line)) return [];

      skip(wordIn(cellOf(element, 'transaction', element.name), OTHERS));
      if (element.values.has('UNITS'))
        moved({ text: nameOf(element, securities), line: element.line });
      return [];
    });
    const isLocal = transactions.some(
      ({ values }) => !/\[/.test(values.get('DTTRADE') ?? '['),
    );

    return reading({
      rows: transactions.length,
      fills: fills.sort(byTime),
      flows,
      cash: elements.flatMap(endingCash),
      skipped,
      notes: [
        ...(isLocal ? [note] : []),
        ...(isDaysOnly ? [DAYS_ONLY] : []),
        ...movedNotes(),
        ...withoutTerms
          .slice(0, MOST_NAMED)
          .map((element) => lackOf(element, securities)),
      ],
    });
  },
};

/**
 * Brokers without times write the same one on all days: midnight, or the end of the day.
 */
function hasDaysOnly(times: readonly string[]): boolean {
  const ofDay = new Set(times.map((time) => time.slice(8, 14)));
  const days = new Set(times.map((time) => time.slice(0, 8)));
  return ofDay.size <= 1 && (days.size > 1 || ofDay.has('') || ofDay.has('000000'));
}

/** @throws RowError if the file is cut off */
function elementsIn(text: string): Element[] {
  const reader = new ElementReader();
  let line = 1;
  for (const part of text.split('<')) {
    const [, slash, name = '', value = ''] = TAG.exec(part) ?? [];
    if (slash === '/') reader.end(name);
    else if (slash === '') reader.begin(name, value.trim(), line);
    line += part.split('\n').length - 1;
  }

  if (!/<\/OFX>\s*$/.test(text.slice(-200)))
    throw new RowError(null, 'is cut off before </OFX>; download it again', line);

  return reader.elements;
}

const TAG = /^(\/?)([A-Z][A-Z0-9.]{1,31})>([\s\S]*)$/;

/**
 * Collects elements with their values, and the account and currency stated before them.
 */
class ElementReader {
  readonly elements: Element[] = [];
  #open: (Element & { values: Map<string, string> }) | undefined;
  #account: string | null = null;
  #currency = 'USD';

  begin(name: string, value: string, line: number): void {
    this.#noteCurrency(name);
    if (
      !this.#open &&
      (ELEMENTS.has(name) || SECURITIES.has(name) || name === BALANCES)
    ) {
      const values = new Map<string, string>();
      this.#open = {
        name,
        line,
        values,
        account: this.#account,
        currency: this.#currency,
      };
    } else if (value !== '') this.#set(name, value);
  }

  end(name: string): void {
    this.#noteCurrency(name);
    if (this.#open?.name !== name) return;
    this.elements.push(this.#open);
    this.#open = undefined;
  }

  /** Amounts with an original currency are in the statement's. */
  #noteCurrency(name: string): void {
    if (name === 'ORIGCURRENCY') this.#open?.values.set('CURSYM', this.#currency);
  }

  #set(name: string, value: string): void {
    if (this.#open) {
      if (!this.#open.values.has(name)) this.#open.values.set(name, decoded(value));
    } else if (name === 'ACCTID') this.#account = value;
    else if (name === 'CURDEF') this.#currency = value;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&nbsp;': ' ',
};

function decoded(value: string): string {
  return value.replace(/&(?:amp|lt|gt|nbsp);/g, (entity) => ENTITIES[entity] ?? entity);
}

function cellOf(
  { values, line }: Element,
  column: string,
  text = values.get(column) ?? '',
): Cell {
  return { text, column, line };
}

/** Kinds of cash by the transaction, its type and its text. */
const FLOWS: FlowMeanings = [
  [/^INVEXPENSE.*(\bW\/H|WITHH|\bTAX)/i, 'tax'],
  [/^INVEXPENSE|^INVBANKTRAN (FEE|SRVCHG)\b|^INVBANKTRAN.*\bFEE\b/i, 'fee'],
  [/^MARGININTEREST|^(INCOME|REINVEST) INTEREST\b|^INVBANKTRAN INT\b/, 'interest'],
  [/^(INCOME|REINVEST) (DIV|CG)|^RETOFCAP|^INVBANKTRAN DIV\b/, 'dividend'],
  [/^(INCOME|REINVEST)/, 'other'],
  [/^INVBANKTRAN XFER\b/, 'transfer'],
  [/^INVBANKTRAN/, 'funding'],
];

/**
 * The cash that a transaction moves beside a trade; amounts have the customer's signs.
 */
function flowOf(
  element: Element,
  securities: ReadonlyMap<string, Element>,
  clock: Clock,
): FileFlow | undefined {
  const { name, values, line, account, currency } = element;
  const total = cellOf(element, values.has('TOTAL') ? 'TOTAL' : 'TRNAMT');
  const type = values.get('INCOMETYPE') ?? values.get('TRNTYPE') ?? '';
  const text = values.get('MEMO') ?? values.get('NAME') ?? type;
  const meaning = `${name} ${type} ${text}`;
  if (total.text === '' || !FLOWS.some(([pattern]) => pattern.test(meaning)))
    return undefined;

  const stated = numberIn(total);
  // Income that is paid for units at once.
  const amount = name === 'REINVEST' ? Math.abs(stated) : stated;
  const kind = flowKindOf(meaning, FLOWS, amount);
  if (kind === undefined || amount === 0) return undefined;

  const time = cellOf(element, values.has('DTTRADE') ? 'DTTRADE' : 'DTPOSTED');
  return {
    line,
    id: values.get('FITID') ?? null,
    account,
    executedAt: timeIn(time, clock),
    hasTime: !clock.isDaysOnly,
    kind,
    amount,
    currency,
    symbol: values.has('UNIQUEID') ? nameOf(element, securities) : null,
    description: text,
  };
}

/** Cash of all sub-accounts, sweep funds included. */
function endingCash(element: Element): StatedCash[] {
  const { name, values, account, currency } = element;
  if (name !== BALANCES || !values.has('AVAILCASH')) return [];
  return [
    { account, currency, amount: numberIn(cellOf(element, 'AVAILCASH')), at: null },
  ];
}

/** Whether the file states the income of a reinvestment by itself, too. */
function hasIncome({ values }: Element, all: readonly Element[]): boolean {
  const sumOf = (of: Element['values']) => Math.abs(Number(of.get('TOTAL')));
  return all.some(
    (other) =>
      other.name === 'INCOME' &&
      other.values.get('UNIQUEID') === values.get('UNIQUEID') &&
      other.values.get('DTTRADE')?.slice(0, 8) === values.get('DTTRADE')?.slice(0, 8) &&
      sumOf(other.values) === sumOf(values),
  );
}

interface Clock {
  zone: string;
  isDaysOnly: boolean;
}

/** Maximum number of options named in notes. */
const MOST_NAMED = 5;

function lackOf(element: Element, securities: ReadonlyMap<string, Element>): string {
  const name = nameOf(element, securities);
  return `the option ${name} on line ${element.line} is skipped: SECLIST lacks its underlying, expiration, strike or type`;
}

function sideOf({ name }: Element): 'buy' | 'sell' | undefined {
  return SIDES[name];
}

function isExpired({ name, values }: Element): boolean {
  return name === 'TRANSFER' && /^EXPIRED\b/i.test(values.get('MEMO') ?? '');
}

function isFill(element: Element): boolean {
  return (
    sideOf(element) !== undefined ||
    isExpired(element) ||
    element.name === 'CLOSUREOPT' ||
    element.name === 'SPLIT'
  );
}

/** Some brokers redeem a bond by a sale of another kind of security. */
function isBond(
  { name, values }: Element,
  securities: ReadonlyMap<string, Element>,
): boolean {
  return (
    name.endsWith('DEBT') ||
    securities.get(values.get('UNIQUEID') ?? '')?.name === 'DEBTINFO'
  );
}

function fillOf(
  element: Element,
  instrument: Instrument,
  isOfBond: boolean,
  clock: Clock,
): FileFill {
  const cell = (column: string) => cellOf(element, column);
  const side = sideOf(element);
  const common = {
    line: element.line,
    executionId: element.values.get('FITID') || null,
    account: element.account,
    instrument,
    executedAt: timeIn(cell('DTTRADE'), clock),
    hasTime: !clock.isDaysOnly,
  };
  if (element.name === 'SPLIT') {
    const ratio = positiveIn(cell('NUMERATOR')) / positiveIn(cell('DENOMINATOR'));
    return fill({ ...common, kind: 'split', side: null, quantity: ratio, price: 0 });
  }

  const units = positiveIn({
    ...cell('UNITS'),
    text: (element.values.get('UNITS') ?? '').replace(/^[-+]/, ''),
  });
  if (side === undefined) {
    const kind = isExpired(element) ? 'expiration' : wordIn(cell('OPTACTION'), CLOSURES);
    return fill({
      ...common,
      kind,
      side: null,
      effect: 'close',
      quantity: units,
      price: 0,
    });
  }

  const price = isOfBond ? Number.NaN : positiveIn(cell('UNITPRICE'));

  return fill({
    ...common,
    side,
    quantity: units,
    ...effectOf(element),
    ...moneyOf(element, side, units, price, common.instrument),
  });
}

const EFFECTS = byMeaning({
  open: 'BUYTOOPEN, SELLTOOPEN, SELLSHORT',
  close: 'BUYTOCLOSE, SELLTOCLOSE, BUYTOCOVER',
});

function effectOf(element: Element): Pick<FileFill, 'effect' | 'mayShort'> {
  const names = ['OPTBUYTYPE', 'OPTSELLTYPE', 'BUYTYPE', 'SELLTYPE'];
  const how =
    names.map((name) => element.values.get(name)).find((text) => text !== undefined) ??
    '';
  const effect = knownWord(cellOf(element, '', how), EFFECTS) ?? null;
  return { effect, mayShort: how === 'SELLTOOPEN' || how === 'SELLSHORT' };
}

/**
 * Price and costs: those stated, and what the total adds to them. A bond's price is a
 * part of its total, in units of 1.
 */
function moneyOf(
  element: Element,
  side: 'buy' | 'sell',
  units: number,
  price: number,
  { multiplier }: Instrument,
) {
  const amount = (column: string) =>
    element.values.has(column)
      ? numberIn(cellOf(element, column, element.values.get(column)?.replace(/^\+/, '')))
      : 0;

  const stated = ['COMMISSION', 'FEES', 'TAXES', 'LOAD'].reduce(
    (sum, column) => sum + Math.abs(amount(column)),
    0,
  );
  if (!element.values.has('TOTAL'))
    return { price: positiveIn(cellOf(element, 'UNITPRICE')), fees: roundMoney(stated) };

  const total = Math.abs(amount('TOTAL'));
  const sign = side === 'buy' ? 1 : -1;
  if (Number.isNaN(price))
    return { price: (total - sign * stated) / units, fees: roundMoney(stated) };

  const value = units * price * (multiplier ?? 1);
  const costs = sign * (total - value);
  if (Math.abs(costs - stated) > 0.1 + value * 0.005) {
    throw cellError(
      cellOf(element, 'TOTAL'),
      `must be about ${roundMoney(sign * (0 - value) - stated)}, as units, price and costs give`,
    );
  }

  return { price, fees: roundMoney(costs) };
}

/** 20260616093005.000[-4:EDT], without a zone in the user's. */
function timeIn(cell: Cell, { zone, isDaysOnly }: Clock): string {
  const parts =
    /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?(\.\d+)?)?(?: ?\[([-+]?)(\d\d?)(?:\.(\d\d))?(?::[A-Z]+)?\])?$/.exec(
      cell.text,
    );
  if (!parts) throw cellError(cell, 'must be a time, such as 20260616093005.000[-4:EDT]');

  const [
    ,
    year,
    month,
    day,
    hours = '00',
    minutes = '00',
    seconds = '00',
    ,
    sign = '+',
    offset,
    part = '00',
  ] = parts;
  const date = dateIn({ ...cell, text: `${year}-${month}-${day}` }, 'ymd');
  if (isDaysOnly) return dayStartIn({ ...cell, text: date }, 'ymd');

  const fraction = String(Math.round(Number(part) * 0.6)).padStart(2, '0');
  const at =
    offset === undefined ? '' : `${sign || '+'}${offset.padStart(2, '0')}:${fraction}`;

  return instantIn(
    { ...cell, text: `${date} ${hours}:${minutes}:${seconds}${at}` },
    'ymd',
    zone,
  );
}

function nameOf({ values }: Element, securities: ReadonlyMap<string, Element>): string {
  const id = values.get('UNIQUEID') ?? '';
  const listed = securities.get(id)?.values;
  return listed?.get('TICKER') ?? listed?.get('SECNAME') ?? id;
}

/** Undefined for an option without terms. */
function instrumentOf(
  element: Element,
  securities: ReadonlyMap<string, Element>,
): Instrument | undefined {
  const listed = securities.get(element.values.get('UNIQUEID') ?? '');
  const name = nameOf(element, securities);
  const currency = element.values.get('CURSYM') ?? element.currency;
  const isOption = listed?.name === 'OPTINFO' || element.name.endsWith('OPT');
  if (!isOption) return { ...stock(name, currency), multiplier: 1 };

  const size = [element, listed]
    .map((element) => Number(element?.values.get('SHPERCTRCT')))
    .find((number) => number > 0);
  // Some brokers state the terms in the ticker alone, beside others that are wrong.
  const terms = occOption(name) ?? termsOf(listed);
  return terms && option(terms, { currency, multiplier: size ?? 100 });
}

function termsOf(listed: Element | undefined): Parameters<typeof option>[0] | undefined {
  const value = (name: string) => listed?.values.get(name) ?? '';
  const strike = Number(value('STRIKEPRICE'));
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)/.exec(value('DTEXPIRE')) ?? [];
  // Interactive Brokers: P SAP  20260619 200 M.
  const [, underlying] =
    /^[CP] +([A-Z\d.]{1,6}) +\d{8} /.exec(value('TICKER')) ??
    /^([A-Z.]{1,6})(?=$|[ \d])/.exec(value('TICKER')) ??
    [];
  if (!(strike > 0) || year === undefined || underlying === undefined) return undefined;
  const optionType = /^CALL$/i.test(value('OPTTYPE')) ? 'call' : 'put';
  return { underlying, expiration: `${year}-${month}-${day}`, strike, optionType };
}
