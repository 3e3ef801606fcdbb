/** The actual period, next to the period without the excluded trades. */
import { Card } from '../components/card.tsx';
import { plural, toneOf } from '../format.ts';
import { useSession } from '../session.ts';
import type { WhatIfFigures } from '../types.ts';

type Figures = WhatIfFigures['actual'];

export function WhatIf({ whatIf: { excluded, actual, without } }: { whatIf: WhatIfFigures }) {
  const { format } = useSession();
  const rows: readonly (readonly [name: string, write: (of: Figures) => string, tone?: (of: Figures) => string])[] = [
    ['Net P&L', ({ net_pnl }) => format.gain(net_pnl), ({ net_pnl }) => toneOf(net_pnl)],
    ['Trades', ({ trades }) => format.count(trades)],
    ['Win rate', ({ win_rate }) => format.percent(win_rate)],
    ['Profit factor', ({ profit_factor }) => format.decimal(profit_factor)],
    ['Expectancy', ({ expectancy }) => format.gain(expectancy)],
    ['Max drawdown', ({ max_drawdown }) => format.money(max_drawdown && -max_drawdown.amount)],
  ];
  return (
    <Card title="What if" class="wide">
      <p class="lead">
        The excluded {plural(excluded.trades, 'trade')} made{' '}
        <strong class={toneOf(excluded.net_pnl)}>{format.gain(excluded.net_pnl)}</strong>.
      </p>
      <table class="plain what-if">
        <caption class="unseen">Figures with and without the excluded trades</caption>
        <thead>
          <tr>
            <th scope="col">Figure</th>
            <th scope="col" class="number">
              Actual
            </th>
            <th scope="col" class="number">
              Without
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, write, tone]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class={`number ${tone?.(actual) ?? ''}`}>{write(actual)}</td>
              <td class={`number ${tone?.(without) ?? ''}`}>{write(without)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
