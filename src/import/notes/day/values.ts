/** Reads values of notes by the kind of their field. */

import { quote } from '../../../errors.ts';
import { MARKETS } from '../../../journal/resources/common.ts';
import { type Figure, figureIn } from '../../parse/numbers.ts';

/** A value for the journal, or a description of valid values. */
export type Read = { value: unknown } | { expected: string };

type Kind =
  | 'number'
  | 'rating'
  | 'flag'
  | 'hours'
  | 'list'
  | 'tags'
  | 'rules'
  | 'goals'
  | 'market'
  | 'ratio'
  | 'text'
  | 'line';

const KINDS: Readonly<Record<string, Kind>> = {
  ...{ stop_loss: 'number', take_profit: 'number', initial_risk: 'number', risk_percent: 'number' },
  ...{ planned_entry: 'number', planned_stop: 'number', planned_target: 'number', planned_quantity: 'number' },
  ...{ hypothetical_pnl: 'number', hypothetical_r: 'ratio', rating: 'rating', confidence: 'rating' },
  ...{ execution_rating: 'rating', energy: 'rating', 'review.rating': 'rating', followed_plan: 'flag' },
  ...{ 'review.followed_plan': 'flag', sleep_hours: 'hours', tags: 'tags', mistakes: 'list', emotions: 'list' },
  ...{ 'review.mistakes': 'list', rules: 'rules', goals: 'goals', body: 'text', notes: 'text', plan: 'text' },
  ...{ went_well: 'text', went_wrong: 'text', lesson: 'text', 'review.went_well': 'text', reason: 'text' },
  ...{ market: 'market', 'review.went_wrong': 'text', 'review.lesson': 'text' },
};

/** Longest value, except texts. */
const LONGEST = 2000;

function kindOf(field: string): Kind {
  return KINDS[field] ?? 'line';
}

export function isList(field: string): boolean {
  return ['list', 'tags', 'rules', 'goals'].includes(kindOf(field));
}

/**
 * The value of a field; a dash clears it.
 * @param text not empty
 */
export function readValue(field: string, text: string): Read {
  const kind = kindOf(field);
  if (/^[-–—]$/.test(text)) return { value: isList(field) ? [] : null };
  const exact = exactly(text);
  if (typeof exact === 'string' && (kind === 'text' || kind === 'line')) return { value: exact };
  if (Array.isArray(exact) && isList(field)) return { value: exact };
  if (kind === 'text') return { value: text };
  if (text.length > LONGEST) return { expected: `must have at most ${LONGEST} characters` };
  const bare = plainOf(text);
  const value = READERS[kind](kind === 'line' || isListKind(kind) ? bare : bare.replaceAll(/[*_`]/g, '').trim());
  return value === undefined ? { expected: `${EXPECTED[kind]}; got ${quote(text)}` } : { value };
}

function isListKind(kind: Kind): boolean {
  return kind === 'list' || kind === 'tags' || kind === 'rules' || kind === 'goals';
}

/** Values in JSON are taken exactly. */
function exactly(text: string): unknown {
  if (!/^(?:"|\[(?!\[))/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const LINK = /\[\[(?:[^\][|#]{0,200}\/)?([^\][|#/]{1,200})(?:#[^\][|]{0,200})?(?:\|[^\][]{0,200})?\]\]/g;

/** Text without links, HTML tags and markup around all of it. */
export function plainOf(text: string): string {
  const bare = text
    .replaceAll(LINK, '$1')
    .replaceAll(/<\/?[a-z][^<>]{0,80}>/gi, '')
    .trim();
  return /^(\*\*|__|\*|_|`)(?=\S)([^*_`]+)\1$/.exec(bare)?.[2] ?? bare;
}

const EXPECTED: Readonly<Record<Kind, string>> = {
  number: 'must be a number, such as 25290',
  rating: 'must be 1 to 5, a fraction such as 6/10, a letter or stars',
  flag: 'must be yes or no',
  hours: 'must be hours, such as 7.5 or 5h 30m',
  ratio: 'must be in R, such as +2R',
  list: 'must be words separated by commas',
  tags: 'must be words separated by commas',
  rules: 'must be rules with answers, such as wait for the close = no; stop in the book = yes',
  market: `must be one of ${MARKETS.join(', ')}`,
  goals: 'must be goals separated by commas',
  text: 'must be text',
  line: 'must be text on one line',
};

const READERS: Record<Kind, (text: string) => unknown> = {
  number: (text) => figureIn(text.replace(/ ?\([^()]*\)$/, ''))?.value,
  rating: ratingIn,
  flag: flagIn,
  hours: hoursIn,
  ratio: (text) => rIn(text)?.value,
  list: wordsIn,
  tags: (text) =>
    wordsIn(text.includes(',') ? text : text.replaceAll(/\s+/g, ',')).map((tag) => tag.replace(/^#(?=\S)/, '')),
  rules: rulesIn,
  goals: (text) => wordsIn(text).map((goal) => ({ text: goal, met: null })),
  market: marketIn,
  text: (text) => text,
  line: (text) => text,
};

function wordsIn(text: string): string[] {
  return text
    .split(/[,;]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

const LETTERS: Readonly<Record<string, number>> = { A: 5, B: 4, C: 3, D: 2, E: 1, F: 1 };

function ratingIn(text: string): number | undefined {
  const letter = /^([A-F])[-+−]?$/i.exec(text)?.[1]?.toUpperCase();
  if (letter !== undefined) return LETTERS[letter];
  const stars = text.match(/[⭐★]/gu)?.length;
  if (stars !== undefined && text.replaceAll(/[⭐★☆ ]|\ufe0f/gu, '') === '') return stars <= 5 ? stars : undefined;
  const [, part, of] = /^(\d{1,3}(?:[.,]\d)?) ?\/ ?(5|10|100)$/.exec(text) ?? [];
  const own = figureIn(part ?? text)?.value;
  if (own === undefined) return undefined;
  const rating = of === undefined ? own : Math.floor((own / Number(of)) * 5 + 0.5);
  return Number.isInteger(rating) && rating >= 1 && rating <= 5 ? rating : undefined;
}

/** Accepts plurals and capitals: futures, Stocks. */
function marketIn(text: string): string | undefined {
  const name = text.toLowerCase().replace(/s$/, '');
  return MARKETS.find((market) => market === name);
}

const YES = /^(?:yes|y|true|✅|☑|✓|✔|x|\[x\])\ufe0f?$/iu;
const NO = /^(?:no|n|false|❌|✗|✘|\[ \])\ufe0f?$/iu;

export function flagIn(text: string): boolean | undefined {
  return YES.test(text) ? true : NO.test(text) ? false : undefined;
}

function hoursIn(text: string): number | undefined {
  const [, hours, minutes] = /^(\d{1,2}) ?(?:h|hrs?|hours?|:) ?(?:(\d{1,2}) ?(?:m|min|minutes)?)?$/i.exec(text) ?? [];
  const [, whole = text] = /^([\d.,]{1,6}) ?(?:h|hrs?|hours?)$/i.exec(text) ?? [];
  const read = hours === undefined ? figureIn(whole)?.value : Number(hours) + Number(minutes ?? 0) / 60;
  return read !== undefined && read >= 0 && read <= 24 ? read : undefined;
}

/** +0.7R or 0.7. */
export function rIn(text: string): Figure | undefined {
  return figureIn(text.replaceAll(/[*_`]/g, '').trim().replace(/ ?R$/i, ''));
}

function rulesIn(text: string): { rule: string; followed: boolean | null }[] | undefined {
  const rules = text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(ruleIn);
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}

/** wait for the close = no, or with a colon; undefined unless the answer is yes or no. */
function ruleIn(text: string): { rule: string; followed: boolean | null } | undefined {
  const at = Math.max(text.lastIndexOf('='), text.lastIndexOf(': '));
  if (at < 1) return { rule: text, followed: null };
  const followed = flagIn(text.slice(at + 1).trim());
  return followed === undefined ? undefined : { rule: text.slice(0, at).trim(), followed };
}
