/** The trade's section of a day note to copy, and the command that imports it. The dashboard itself writes nothing. */
import { Card } from '../components/card.tsx';
import { Copyable } from '../components/copyable.tsx';
import type { Formats } from '../format.ts';
import { useSession } from '../session.ts';
import type { TradeDetail } from '../types.ts';

export function WriteDown({ trade }: { trade: TradeDetail }) {
  const { format } = useSession();
  return (
    <Card title="Write about this trade" class="wide no-print">
      <p>Copy this into a note named after the day, fill it in and import the note. Empty fields change nothing:</p>
      <Copyable isCode text={sectionOf(trade, format)} />
      <p>Or edit the note of the whole day, with a section per trade:</p>
      <Copyable isCode text={`journal-api day ${format.dayOf(trade.executed_at)} --edit`} />
    </Card>
  );
}

/** A heading that identifies the trade, and its current fields. */
function sectionOf(trade: TradeDetail, format: Formats): string {
  const fields: readonly (readonly [name: string, value: string | number | null])[] = [
    ['setup', trade.setup],
    ['stop_loss', trade.stop_loss],
    ['tags', trade.tags.join(', ')],
    ['mistakes', trade.mistakes.join(', ')],
    ['rating', trade.rating],
    ['emotions', null],
    ['followed_plan', null],
  ];
  const heading = `## ${format.clock(trade.executed_at)} ${trade.symbol} ${trade.side} <!-- t:${trade.id} -->`;
  return [heading, ...fields.map(([name, value]) => `${name}:: ${value ?? ''}`.trimEnd()), '', ''].join('\n');
}
