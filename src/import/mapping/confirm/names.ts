/**
 * Names of columns that matter to every mapping, in any language: costs, amounts of
 * money, kinds of rows.
 */

/** A longer name is read only so far. */
const LONGEST_NAME = 100;

const KINDS =
  /\b(status|state|type|event|action|kind|category|operation|activity|transaction|trans code|zustand|typ|art|vorgang|ereignis|aktion|buchungsart|transaktion|transaktionsart|statut|etat|evenement|estado|tipo|evento|accion|operacion|stato|operazione|operacao|soort|rodzaj|stan|operacja|transaktionstyp|tyyppi|islem|durum)\b|статус|^тип|операция|событие|取引|状態|種類|类型|状态|유형|상태/;

/** Whether a column's name says that its words tell trades from other rows. */
export function isKindName(column: string): boolean {
  const name = plainName(column);
  return (
    KINDS.test(name) &&
    !/asset|instrument|security|symbol|option|product|market|currency|account|\bid\b/.test(
      name,
    )
  );
}

const COSTS =
  /fees?\b|^fee|commi?s+ion|\bcomms?\b|^sec$|\btaf\b|\bnscc\b|\becn\b|\bnfa\b|\bfinra\b|brokerage|\bcharges?\b|\btax|\bduty|\blevy|\blevies|\bswaps?\b|funding|financing|rollover|\bgst\b|\bstt\b|\bvat\b|transaction cost|\bcost[eio]?s\b|\bcosti\b|\bcouts?\b|\bkostnad|rebate|gebuhr|provision|spesen|kosten|\bsteuer|steuer\b|kommission|courtage|\bfrais|\bimpot|comision|gastos|\btasas|impuesto|\bspese|\btasse|impost|comissao|comissoes|\bcustos|corretagem|emolumento|commissie|belasting|prowizj|\boplat[ay]|\bkoszty|podatek|provisjon|kurtage|kurtasje|avgift|omkostning|gebyr|\bskatt?\b|palkkio|\bvero\b|komisyon|\bvergi|комисси|налог|сбор|手数料|税|佣金|手续费|수수료|세금/;

/**
 * Whether a column's name says fee, commission, tax or another cost; not the rate or the
 * unit of one.
 */
export function isCostName(column: string): boolean {
  const name = plainName(column);
  return (
    COSTS.test(name) &&
    !/\brate\b|%|percent|prozent|\bbps\b|\btype\b|\bcode\b/.test(name) &&
    !isUnit(name)
  );
}

/** Whether a column's name says that it holds the currency of costs. */
export function isCostCurrency(column: string): boolean {
  return COSTS.test(plainName(column)) && isUnit(plainName(column));
}

function isUnit(name: string): boolean {
  return /(currency|ccy|coin|asset|unit|token|wahrung|devise|valuta|divisa|moneda)$/.test(
    name,
  );
}

/**
 * Whether a column's name says that it holds amounts of money, against which prices can
 * be checked.
 */
export function isAmountName(column: string): boolean {
  return AMOUNTS.test(plainName(column));
}

const AMOUNTS =
  /amount|value|total|proceeds|consideration|turnover|notional|principal|\bcost\b|\bnet\b|\bgross\b|p&l|pnl|profit|gain|result|gewinn|betrag|wert\b|summe|gesamt|montant|valeur|importe|importo|controvalore|valor|bedrag|totaal|kwota|wartosc|zysk|wynik|belopp|belob|summa|tutar|сумма|прибыль|金額|金额|損益|금액/;

/**
 * In lower case without accents and marks; compound words are split, and the number of an
 * equal name is left out.
 */
export function plainName(name: string): string {
  const split = name
    .slice(0, LONGEST_NAME)
    .replace(/ \(\d+\)$/, '')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll('ß', 'ss');
  return plainWord(split)
    .replace(/[^\p{L}\p{N}%&]+/gu, ' ')
    .trim();
}

/** In lower case without accents; an underscore or a dash is a space. */
export function plainWord(text: string): string {
  const bare = text
    .normalize('NFD')
    .replace(/(?<=[a-z])\p{M}/giu, '')
    .normalize('NFC');
  return bare
    .toLowerCase()
    .replaceAll('ł', 'l')
    .replaceAll('ø', 'o')
    .replace(/[\s_-]+/g, ' ')
    .trim();
}
