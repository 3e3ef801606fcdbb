/**
 * Facts of a trade in a heading, bullet or callout title: time, symbol, side and number.
 */
import { type Clock, clearDateIn, clockIn } from './written-dates.ts';

export interface Title {
  id: string | undefined;
  /** Whether the id is that of a trade group: <!-- g:… -->, unlike <!-- t:… -->. */
  isGroup: boolean;
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

const ID = /<!-- {0,3}([gt]):([A-Za-z0-9._:~-]{1,128}) {0,3}-->/;
const COMMENT = /<!--[^<>]{0,300}-->/g;
const TAG = /<\/?[a-z][^<>]{0,80}>/gi;
const NUMBER =
  /\(?\btrade #?(?<ofDay>\d{1,3})\b:?\)?|\(?(?<![\p{L}\p{N}])#(?<ofSymbol>\d{1,3})\b\)?/iu;
const SIDE = /^(?:(long|buy|bought)|(short|sell|sold))$/i;
const SYMBOL =
  /^[$/]?(?=[\p{Lu}\p{N}./_!-]{1,20}$)[\p{N}]{0,3}\p{Lu}[\p{Lu}\p{N}./_!-]{0,19}$/u;
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

  const [, kind, id] = ID.exec(text) ?? [];
  let rest = text
    .replaceAll(COMMENT, ' ')
    .replaceAll(TAG, ' ')
    .replaceAll(LINK, '$1')
    .replaceAll(/[*_`=~]/g, '');
  const isMissed = id === undefined && /\bmissed\b/i.test(rest);
  if (isMissed) rest = rest.replace(/\(?\bmissed\b:?\)?/i, ' ');

  rest = withoutDate(rest);
  const time = clockIn(rest);
  if (time) rest = `${rest.slice(0, time.from)} ${rest.slice(time.to)}`;

  const { ofDay, ofSymbol } = NUMBER.exec(rest)?.groups ?? {};
  const number = ofDay ?? ofSymbol;
  if (number !== undefined) rest = rest.replace(NUMBER, ' ');

  return {
    id,
    isGroup: kind === 'g',
    clock: time?.clock,
    number: number === undefined ? undefined : Number(number),
    countsSymbol: ofSymbol !== undefined,
    isMissed,
    ...wordsIn(rest),
  };
}

/** A title without its date, which is the day's. */
function withoutDate(text: string): string {
  return clearDateIn(text) === undefined
    ? text
    : text.replace(/(?<!\d)\d{4}[-_./]\d{1,2}[-_./]\d{1,2}(?!\d)/, ' ');
}

function wordsIn(text: string): Pick<Title, 'symbol' | 'side' | 'rest'> {
  let side: Title['side'];
  let symbol: string | undefined;
  const left: string[] = [];

  for (const word of text.split(/\s+/)) {
    const bare = word.replaceAll(/^[(\p{Pd}|:,]+|[),:;|\p{Pd}]{1,5}$/gu, '');
    if (bare === '' || bare === '@' || (side !== undefined && bare === 'trade')) continue;

    const [sideOfWord, symbolOfWord] = [sideNamed(bare), symbolNamed(bare)];
    if (side === undefined && sideOfWord !== undefined) side = sideOfWord;
    else if (symbol === undefined && symbolOfWord !== undefined) symbol = symbolOfWord;
    else if (!RESULT.test(bare)) left.push(word);
  }

  if (symbol === undefined && side !== undefined && isSmallSymbol(left))
    return { symbol: left[0]?.toUpperCase(), side, rest: '' };

  const rest = left.filter((word) => /\p{L}/u.test(word) && word !== '#trade').join(' ');
  return { symbol, side, rest };
}

function sideNamed(word: string): Title['side'] {
  const [, long, short] = SIDE.exec(word) ?? [];
  if (long !== undefined) return 'long';
  return short === undefined ? undefined : 'short';
}

/** The symbol that a word is: /MNQ, $SPY, BTC/USDT. */
export function symbolNamed(word: string): string | undefined {
  return SYMBOL.test(word) && !NO_SYMBOL.test(word)
    ? word.replace(/^[$/]/, '')
    : undefined;
}

/** Whether a single word is beside the side: mnq long. */
function isSmallSymbol([word, ...others]: readonly string[]): boolean {
  return (
    word !== undefined && others.length === 0 && /^[\p{L}\p{N}./!]{1,20}$/u.test(word)
  );
}
