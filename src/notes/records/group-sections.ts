/**
 * What sections of notes state of trade groups. A group lacks some fields of a trade;
 * these stay in the text.
 */
import type { Values } from '../../journal-write/record.ts';
import { foldCase } from '../../sqlite/functions.ts';
import type { NotedRecord, StayedText } from '../note.ts';
import { OF_GROUP, OF_GROUP_ENTRY } from '../reading/stored-fields.ts';
import type { FoundGroup } from './find-group.ts';
import type { Facts } from './trade-facts.ts';

/** What the fills state of a group. */
export function factsOfGroup({
  status,
  gross_pnl,
  net_pnl,
  initial_risk,
}: FoundGroup): Facts {
  const hasResult = status === 'closed' && gross_pnl !== null && net_pnl !== null;
  return {
    quantity: null,
    multiplier: null,
    entry_price: null,
    exit_price: null,
    isClosed: hasResult,
    gross_pnl: gross_pnl ?? 0,
    net_pnl: net_pnl ?? 0,
    initial_risk,
    stop_loss: null,
  };
}

/**
 * The values of a group's section, with the lines of fields that a group lacks in its
 * text.
 * @param keep receives these
 */
export function valuesOfGroup(
  { strategy }: FoundGroup,
  part: NotedRecord,
  values: Values,
  keep: (stayed: StayedText) => void,
): Values {
  const { body, ...fields } = values;
  const known: Values = {};
  const lacking: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const [field = ''] = name.split('.');
    if (OF_GROUP.includes(field) || OF_GROUP_ENTRY.includes(name)) known[name] = value;
    else lacking.push(name);
  }

  const kept = lacking.map((name) => {
    const text = part.rawOf?.(name) ?? `${name}:: ${String(values[name])}`;
    const reason = `a position of several legs has no ${name}; write it below a leg`;
    keep({ line: part.lines[name] ?? part.line, text, reason });
    return text;
  });
  const written =
    typeof body === 'string' ? withoutName(body, part.clues?.words, strategy) : '';
  const text = [...(written === '' ? [] : [written]), ...kept].join('\n');

  return text === '' ? known : { ...known, body: text };
}

/** The text without the words of the heading, if they are the strategy. */
function withoutName(body: string, words = '', strategy: string | null): string {
  const isName =
    strategy !== null && words !== '' && foldCase(words) === foldCase(strategy);
  const [first = '', ...others] = body.split('\n');
  return isName && first === words ? others.join('\n').trimStart() : body;
}
