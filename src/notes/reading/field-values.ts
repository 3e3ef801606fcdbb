/** Reads values of notes by the kind of their field. */

import { quote } from '../../errors.ts';
import { MARKETS } from '../../journal/resource.ts';
import type { Values } from '../../journal-write/record.ts';
import { type Figure, figureIn } from '../../parse/cells.ts';

/** A value for the journal, or a description of valid values. */
export type Read = { value: unknown } | { expected: string };

export type Kind = keyof typeof KINDS;

/** Longest value, except texts. */
const LONGEST = 2000;

/** Kinds of several values. */
export const LISTS: readonly Kind[] = ['list', 'tags', 'rules', 'goals'];

/**
 * The value of a field; a dash clears it.
 * @param text not empty
 */
export function readValue(kind: Kind, text: string): Read {
  const isList = LISTS.includes(kind);
  if (/^[-–—]$/.test(text)) return { value: isList ? [] : null };

  const exact = exactly(text);
  if (typeof exact === 'string' && (kind === 'text' || kind === 'line'))
    return { value: exact };
  if (Array.isArray(exact) && isList) return { value: exact };
  if (kind === 'text') return { value: text };
  if (text.length > LONGEST)
    return { expected: `must have at most ${LONGEST} characters` };

  const bare = plainOf(text);
  const { read, expected } = KINDS[kind];
  const value = read(
    kind === 'line' || isList ? bare : bare.replaceAll(/[*_`]/g, '').trim(),
  );

  return value === undefined
    ? { expected: `must be ${expected}; got ${quote(text)}` }
    : { value };
}

/** Values in JSON are taken exactly. */
export function exactly(text: string): unknown {
  if (!/^(?:"|\[(?!\[))/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const LINK =
  /\[\[(?:[^\][|#]{0,200}\/)?([^\][|#/]{1,200})(?:#[^\][|]{0,200})?(?:\|[^\][]{0,200})?\]\]/g;

/** Text without links, HTML tags and markup around all of it. */
export function plainOf(text: string): string {
  const bare = text
    .replaceAll(LINK, '$1')
    .replaceAll(/<\/?[a-z][^<>]{0,80}>/gi, '')
    .trim();
  return /^(\*\*|__|\*|_|`)(?=\S)([^*_`]+)\1$/.exec(bare)?.[2] ?? bare;
}

const KINDS = {
  number: kind(
    'a number, such as 25290',
    (text) => figureIn(text.replace(/ ?\([^()]*\)$/, ''))?.value,
  ),
  rating: kind('1 to 5, a fraction such as 6/10, a letter or stars', ratingIn),
  flag: kind('yes or no', flagIn),
  hours: kind('hours, such as 7.5 or 5h 30m', hoursIn),
  ratio: kind('in R, such as +2R', (text) => rIn(text)?.value),
  list: kind('words separated by commas', wordsIn),
  tags: kind('words separated by commas', (text) =>
    wordsIn(text.includes(',') ? text : text.replaceAll(/\s+/g, ',')).map((tag) =>
      tag.replace(/^#(?=\S)/, ''),
    ),
  ),
  rules: kind(
    'rules with answers, such as wait for the close = no; stop in the book = yes',
    rulesIn,
  ),
  goals: kind('goals separated by commas', (text) =>
    wordsIn(text).map((goal) => ({ text: goal, met: null })),
  ),
  market: kind(`one of ${MARKETS.join(', ')}`, marketIn),
  text: kind('text', (text) => text),
  line: kind('text on one line', (text) => text),
};

/** @param expected of a value, for errors */
function kind(expected: string, read: (text: string) => unknown) {
  return { expected, read };
}

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
  if (stars !== undefined && text.replaceAll(/[⭐★☆ ]|\ufe0f/gu, '') === '')
    return stars <= 5 ? stars : undefined;

  const [, part, of] = /^(\d{1,3}(?:[.,]\d)?) ?\/ ?(5|10|100)$/.exec(text) ?? [];
  const figure = figureIn(part ?? text)?.value;
  if (figure === undefined) return undefined;

  const rating = of === undefined ? figure : Math.floor((figure / Number(of)) * 5 + 0.5);
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
  if (YES.test(text)) return true;
  return NO.test(text) ? false : undefined;
}

function hoursIn(text: string): number | undefined {
  const [, hours, minutes] =
    /^(\d{1,2}) ?(?:h|hrs?|hours?|:) ?(?:(\d{1,2}) ?(?:m|min|minutes)?)?$/i.exec(text) ??
    [];
  const [, whole = text] = /^([\d.,]{1,6}) ?(?:h|hrs?|hours?)$/i.exec(text) ?? [];
  const read =
    hours === undefined
      ? figureIn(whole)?.value
      : Number(hours) + Number(minutes ?? 0) / 60;
  return read !== undefined && read >= 0 && read <= 24 ? read : undefined;
}

/** The amount of a result as printed: +120.50 USD, 1.2 R. */
const RESULT = /^([-+]?\d{1,15}\.\d{2,8}) [A-Z0-9]{2,10}(?:, -?\d{1,15}\.\d R)?$/;

export function printedResultIn(text: string): Figure | undefined {
  const amount = RESULT.exec(text)?.[1];
  return amount === undefined ? undefined : figureIn(amount);
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
  return followed === undefined
    ? undefined
    : { rule: text.slice(0, at).trim(), followed };
}

// Missed trades: the kind of miss, the reason and the hypothetical result.

/** Words that mean a kind: "ran away without me" isn't away, "limit order" no rule. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/\bhesita|second.guess|\bfroze\b/i, 'hesitated'],
  [/\balmost (?:took|entered|bought|sold|clicked|went)/i, 'almost_took'],
  [/\bcancel/i, 'cancelled'],
  [
    /\baway from (?:the |my )?(?:desk|screens?|computer|keyboard)\b|\bafk\b|\bnot at (?:the|my) (?:desk|screens?)\b|\basleep\b|\boverslept\b/i,
    'away',
  ],
  [/\bnot filled\b|\bno fill\b|\bunfilled\b|\bnever filled\b/i, 'not_filled'],
  [
    /\bloss limit\b|\blimit reached\b|\bmax(?:imum)? loss\b|\bnot allowed\b|\b(?:my|own|against) rules?\b|\brule.block/i,
    'rule_block',
  ],
];

export function missTypeOf(reason: string): string {
  const start = reason.slice(0, 300);
  return REASONS.find(([words]) => words.test(start))?.[1] ?? 'other';
}

/** The outcome by hypothetical R or P&L. */
export function outcomeOf({ hypothetical_r: r, hypothetical_pnl: pnl }: Values): string {
  const result = typeof r === 'number' ? r : pnl;
  if (typeof result !== 'number') return 'unknown';
  if (result === 0) return 'would_breakeven';
  return result > 0 ? 'would_win' : 'would_lose';
}

const PRICES: readonly (readonly [RegExp, string])[] = [
  [/@ ?(\d[\d.,]{0,14})/, 'planned_entry'],
  [/\bstop:? (\d[\d.,]{0,14})/i, 'planned_stop'],
  [/\b(?:target|tp):? (\d[\d.,]{0,14})/i, 'planned_target'],
];

const R = /[-+−]?\d{1,3}(?:\.\d{1,2})?R\b/;

/** A name of few words, such as ORB or Trend pullback; other words are the notes. */
const SETUP = /^\p{Lu}[^\s.!?]*(?: [^\s.!?]+){0,2}$/u;

/**
 * The values of a missed trade on one line, after its symbol and side: prices, a setup, a
 * reason and a result, separated by commas or dashes. ORB, hesitated, would have been +3R
 */
export function missedIn(text: string): Values {
  const values: Values = {};
  let left = text;
  for (const [pattern, field] of PRICES) {
    const figure = figureIn(pattern.exec(left)?.[1]?.replace(/[.,]$/, '') ?? '');
    if (!figure) continue;

    values[field] = figure.value;
    left = left.replace(pattern, '');
  }

  for (const piece of left.split(/,|;| [—–-] /)) {
    const words = piece.trim().replaceAll(/^[—–-] ?/g, '');
    const r = R.exec(words)?.[0];
    if (r !== undefined) values['hypothetical_r'] = rIn(r)?.value;
    else if (missTypeOf(words) !== 'other') values['reason'] = words;
    else if (SETUP.test(words)) values['setup'] ??= words;
  }

  return values;
}
