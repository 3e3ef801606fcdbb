/** Lines that look like a field or a trade, and stayed text: what would make them one. */
import type { TextLine } from '../note.ts';
import type { Block } from './blocks.ts';
import { fieldNamed } from './field-names.ts';
import type { Label } from './line-forms.ts';
import type { Outline } from './outline.ts';
import { type Part, statedIn, traderStated } from './part.ts';
import { symbolNamed } from './titles.ts';

type Why = Omit<TextLine, 'line' | 'text'>;

export const NEEDS_OF_MISSED =
  'a missed trade needs a time, a symbol and a side, such as 09:45 MNQ long';
export const NEEDS_OF_ROW = 'a trade in a table needs a time or a number';
const NEEDS_OF_LINE = {
  reason: 'a trade on a line needs a time and a side',
  mark: '-',
} as const;
const NEEDS_OF_ANOTHER = { reason: 'another trade needs a heading', mark: '##' } as const;
const NEEDS_OF_TRADE = 'a trade needs a side, a time or a number';

/** A field has at most three words in its name. */
const MOST_WORDS = 3;

/** Why a block stayed text; undefined if it looks like text. */
export function whyText(block: Block, open: Outline): Why | undefined {
  if (block.kind === 'heading') return whyNoTrade(block.facts, open);
  if (block.kind !== 'text') return undefined;
  if (open.list?.kind === 'missed' && !open.part) return { reason: NEEDS_OF_MISSED };

  const isName = (block.label?.name.split(/\s+/).length ?? Number.NaN) <= MOST_WORDS;
  const reason = block.label && isName ? whyNoField(block.label, open) : undefined;
  const bullet = whyNoBullet(block.raw, open);
  if (bullet) return { ...bullet, otherwise: reason };
  return reason === undefined ? undefined : { reason };
}

function whyNoField({ name, value, form }: Label, open: Outline): string {
  const { scope, text, current } = open;
  if (fieldNamed(name, scope) === undefined) {
    const named = traderStated(current, name, value);
    if (text?.mayBeTrade && form === 'dataview')
      return 'below a heading that is no trade';
    if (named.is === 'text only' && form === 'dataview') return named.reason;
    return named.is === 'text only'
      ? named.reason
      : `unknown field; ${name}:: ... keeps it`;
  }

  const stated = statedIn(scope, name, value);
  if (stated?.is === 'unreadable') return stated.message;
  if (text?.isOfUser) return 'below a heading that names no field';
  if (text) return `in the text of ${text.field}`;

  return stated?.is === 'empty' ? `${name} has no value` : `${name} can't be read`;
}

/**
 * A line that begins with the symbol of a trade of the day, other than that of its
 * section.
 */
function whyNoBullet(raw: string, open: Outline): Why | undefined {
  if (!open.takesTrades) return undefined;

  const [, word = ''] = /^[ \t]*(?:[-*+] )?([^\s:,]{1,20})(?=[\s:,]|$)/.exec(raw) ?? [];
  const symbol = symbolNamed(word);
  const { title, facts } = open.part ?? {};
  if (symbol === undefined || symbol === (facts?.get('symbol')?.text ?? title?.symbol))
    return undefined;

  const needs = open.part ? NEEDS_OF_ANOTHER : NEEDS_OF_LINE;
  return { ...needs, symbol: { name: symbol, of: 'day' } };
}

/** A heading with a side or with a symbol of the journal. */
function whyNoTrade(facts: Part['title'], open: Outline): Why | undefined {
  if (!open.takesTrades || !facts) return undefined;
  const { symbol, side, isMissed } = facts;
  if (isMissed) return { reason: NEEDS_OF_MISSED };
  if (symbol === undefined)
    return side && { reason: 'a trade needs a symbol, a time or a number' };

  const reason = `${NEEDS_OF_TRADE}, as in ${symbol} long`;
  return { reason, symbol: { name: symbol, of: 'journal' } };
}

/** Why a section is no trade, or no missed trade, whatever the journal has. */
export function whyNoSection({ scope, line, raw: [text = ''], title }: Part): TextLine {
  if (scope === 'missed') return { line, text, reason: NEEDS_OF_MISSED };

  const name = title?.symbol;
  if (name === undefined)
    return { line, text, reason: 'a trade needs a symbol or a side' };

  const reason = `${NEEDS_OF_TRADE}, as in ${name} long, or a field below its heading`;
  return { line, text, reason, symbol: { name, of: 'journal' } };
}
