/** The text of a trade's section in a day note, to be filled in, and the command that takes it. This page itself writes nothing. */
import { Card } from '../components/card.tsx';
import { Copyable } from '../components/copyable.tsx';
import type { Formats } from '../format.ts';
import { useSession } from '../session.ts';
import type { TradeDetail } from '../types.ts';

export function WriteDown({ trade }: { trade: TradeDetail }) {
  const { format } = useSession();
  return (
    <Card title="Write it down" class="wide no-print">
      <p>Fill this in, in a note named after the day, and import it; empty fields change nothing:</p>
      <Copyable isCode text={sectionOf(trade, format)} />
      <p>Or let your editor open the whole day, with a section for each trade:</p>
      <Copyable isCode text={`journal-api day ${format.dayOf(trade.executed_at)} --edit`} />
    </Card>
  );
}

/** A heading that finds the trade, and its fields as they are. */
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
