/** Missed trades in notes: the kind of miss, the reason and the hypothetical result. */
import type { Values } from '../../../journal-write/record.ts';
import { figureIn } from '../../parse/numbers.ts';
import { rIn } from './values.ts';

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
  const made = typeof r === 'number' ? r : pnl;
  if (typeof made !== 'number') return 'unknown';
  return made > 0 ? 'would_win' : made < 0 ? 'would_lose' : 'would_breakeven';
}

const PRICES: readonly (readonly [RegExp, string])[] = [
  [/@ ?(\d[\d.,]{0,14})/, 'planned_entry'],
  [/\bstop:? (\d[\d.,]{0,14})/i, 'planned_stop'],
  [/\b(?:target|tp):? (\d[\d.,]{0,14})/i, 'planned_target'],
];

const R = /[-+−]?\d{1,3}(?:\.\d{1,2})?R\b/;

/** A name of few words, such as ORB or Trend pullback; other words are the notes. */
const SETUP = /^\p{Lu}[^\s.!?]*(?: [^\s.!?]+){0,2}$/u;

interface Part {
  has(field: string): boolean;
  set(field: string, value: unknown, line: number): void;
}

/** ORB, hesitated, would have been +3R: prices, a setup, a reason and a result, separated by commas or dashes. */
export function readMissed(rest: string, part: Part, line: number): void {
  let left = rest;
  for (const [pattern, field] of PRICES) {
    const figure = figureIn(pattern.exec(left)?.[1]?.replace(/[.,]$/, '') ?? '');
    if (!figure) continue;
    part.set(field, figure.value, line);
    left = left.replace(pattern, '');
  }
  for (const piece of left.split(/,|;| [—–-] /)) {
    const words = piece.trim().replaceAll(/^[—–-] ?/g, '');
    const r = R.exec(words)?.[0];
    if (r !== undefined) part.set('hypothetical_r', rIn(r)?.value, line);
    else if (missTypeOf(words) !== 'other') part.set('reason', words, line);
    else if (SETUP.test(words) && !part.has('setup')) part.set('setup', words, line);
  }
}
