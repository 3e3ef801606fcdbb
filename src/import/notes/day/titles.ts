/** Facts of a trade in a heading, bullet or callout title: time, symbol, side and number. */
import { type Clock, clockIn, dateIn } from './times.ts';

export interface Title {
  id: string | undefined;
  clock: Clock | undefined;
  number: number | undefined;
  /** Whether the number counts trades of the symbol: #2, unlike Trade 2. */
  countsSymbol: boolean;
  symbol: string | undefined;
  side: 'long' | 'short' | undefined;
  isMissed: boolean;
  /** The other words. */
  rest: string;
}

const LONGEST = 300;

const ID = /<!-- {0,3}t:([A-Za-z0-9._:~-]{1,128}) {0,3}-->/;
const COMMENT = /<!--[^<>]{0,300}-->/g;
const TAG = /<\/?[a-z][^<>]{0,80}>/gi;
const NUMBER = /\(?\btrade #?(\d{1,3})\b:?\)?|\(?(?<![\p{L}\p{N}])#(\d{1,3})\b\)?/iu;
const SIDE = /^(?:(long|buy|bought)|(short|sell|sold))$/i;
const SYMBOL = /^[$/]?(?=[\p{Lu}\p{N}./_!-]{1,20}$)[\p{N}]{0,3}\p{Lu}[\p{Lu}\p{N}./_!-]{0,19}$/u;
const LINK = /\[\[(?:[^\][|]{1,80}\|)?([^\][|]{1,40})\]\]/g;
/** Words in capitals that aren't symbols. */
const NO_SYMBOL =
  /^(?:AM|PM|ET|CT|PT|MT|UTC|GMT|BE|WIN|LOSS|TRADE|LONG|SHORT|A|I|R|PNL|P&L|NO|OK|VWAP|FOMO|HOD|LOD|NFP|CPI|FOMC|TP|SL)$/i;
/** Words and figures for the result of a trade. */
const RESULT =
  /^(?:be|win|won|loss|lost|loser|winner|breakeven|scratch|am|pm|[✅❌🟢🔴⚪]|[-+]?[$€£]?[-+]?\d[\d.,]{0,12}r?)$/iu;

/** @returns undefined if it is too long for a title */
export function titleIn(text: string): Title | undefined {
  if (text.length > LONGEST) return undefined;
  const id = ID.exec(text)?.[1];
  let rest = text
    .replaceAll(COMMENT, ' ')
    .replaceAll(TAG, ' ')
    .replaceAll(LINK, '$1')
    .replaceAll(/[*_`=~]/g, '');
  const isMissed = id === undefined && /\bmissed\b/i.test(rest);
  if (isMissed) rest = rest.replace(/\(?\bmissed\b:?\)?/i, ' ');
  rest = withoutDate(rest);
  const found = clockIn(rest);
  if (found) rest = `${rest.slice(0, found.from)} ${rest.slice(found.to)}`;
  const number = NUMBER.exec(rest);
  if (number) rest = rest.replace(NUMBER, ' ');
  const { symbol, side, words } = wordsIn(rest);
  const own = number?.[1] ?? number?.[2];
  return {
    id,
    clock: found?.clock,
    number: own === undefined ? undefined : Number(own),
    countsSymbol: number?.[2] !== undefined,
    symbol,
    side,
    isMissed,
    rest: words,
  };
}

/** A title without its date, which is the day's. */
function withoutDate(text: string): string {
  const day = dateIn(text);
  return day && 'date' in day ? text.replace(/(?<!\d)\d{4}[-_./]\d{1,2}[-_./]\d{1,2}(?!\d)/, ' ') : text;
}

function wordsIn(text: string): { symbol: string | undefined; side: Title['side']; words: string } {
  const words = text.split(/\s+/).filter((word) => word !== '');
  let side: Title['side'];
  let symbol: string | undefined;
  const left: string[] = [];
  for (const word of words) {
    const bare = word.replaceAll(/^[(\p{Pd}|:,]+|[),:;|\p{Pd}]{1,5}$/gu, '');
    const [, long, short] = SIDE.exec(bare) ?? [];
    if (bare === '' || bare === '@' || (side !== undefined && bare === 'trade')) continue;
    if (side === undefined && (long ?? short) !== undefined) side = long === undefined ? 'short' : 'long';
    else if (symbol === undefined && SYMBOL.test(bare) && !NO_SYMBOL.test(bare)) symbol = bare.replace(/^[$/]/, '');
    else if (!RESULT.test(bare)) left.push(word);
  }
  const [only] = left;
  // mnq long
  if (
    symbol === undefined &&
    side !== undefined &&
    only !== undefined &&
    left.length === 1 &&
    /^[\p{L}\p{N}./!]{1,20}$/u.test(only)
  ) {
    return { symbol: only.toUpperCase(), side, words: '' };
  }
  return { symbol, side, words: left.filter((word) => /\p{L}/u.test(word) && word !== '#trade').join(' ') };
}
