/** Lines that look like a field or a trade, and stayed text: what would make them one. */
import type { TextLine } from '../note.ts';
import type { Block } from './blocks.ts';
import { fieldNamed } from './field-names.ts';
import type { Label } from './line-forms.ts';
import type { Outline } from './outline.ts';
import { type Part, statedIn, traderStated } from './part.ts';
import { symbolNamed } from './titles.ts';

type Why = Pick<TextLine, 'reason' | 'symbol'>;

const NEEDS_OF_MISSED = 'a missed trade needs a time, a symbol and a side, such as 09:45 MNQ long';
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
  return reason === undefined ? whyNoBullet(block.raw, open) : { reason };
}

function whyNoField({ name, value, form }: Label, open: Outline): string {
  const { scope, text, current } = open;
  if (fieldNamed(name, scope) === undefined) {
    const named = traderStated(current, name, value);
    if (text?.mayBeTrade && form === 'dataview') return 'below a heading that is no trade';
    if (named.is === 'text only' && form === 'dataview') return named.reason;
    return named.is === 'text only' || /\s/.test(name)
      ? `unknown field ${name}`
      : `unknown field ${name}; ${name}:: ... keeps it`;
  }

  const stated = statedIn(scope, name, value);
  if (stated?.is === 'unreadable') return stated.message;
  if (text?.isOfUser) return 'below a heading that names no field';
  if (text) return `in the text of ${text.field}`;

  return stated?.is === 'empty' ? `${name} has no value` : `${name} can't be read`;
}

/** A line that begins with the symbol of a trade of the day. */
function whyNoBullet(raw: string, open: Outline): Why | undefined {
  if (!open.takesTrades || open.part) return undefined;

  const [, word = ''] = /^[ \t]*(?:[-*+] )?([^\s:,]{1,20})(?=[\s:,]|$)/.exec(raw) ?? [];
  const symbol = symbolNamed(word);
  if (symbol === undefined) return undefined;

  return {
    reason: 'a trade on a line needs a time and a side, such as - 10:25 short MGC',
    symbol: { name: symbol, of: 'day' },
  };
}

/** A heading with a side or with a symbol of the journal. */
function whyNoTrade(facts: Part['title'], open: Outline): Why | undefined {
  if (!open.takesTrades || !facts) return undefined;
  if (facts.symbol === undefined)
    return facts.side && { reason: 'a trade needs a symbol, a time or a number' };
  return { reason: NEEDS_OF_TRADE, symbol: { name: facts.symbol, of: 'journal' } };
}

/** Why a section is no trade, whatever the journal has. */
export function whyNoSection({ line, raw: [text = ''], title }: Part): TextLine {
  const name = title?.symbol;
  if (name === undefined) return { line, text, reason: 'a trade needs a symbol or a side' };

  const reason = `${NEEDS_OF_TRADE}, or a field below its heading`;
  return { line, text, reason, symbol: { name, of: 'journal' } };
}
