/** Realised P&L exit by exit: the curve of a short period, such as a day. */
import type * as z from 'zod';
import { roundMoney, Sum } from '../../money.ts';
import { toInstantText } from '../../time.ts';
import * as f from '../fields.ts';
import { once } from '../once.ts';
import { Drawdown } from './equity-curve.ts';
import { RealisedCurve } from './realised.ts';

/** Steps that are listed. */
const MOST_STEPS = 500;

export const realisedStepsRecord = once(() =>
  f.list(
    f.item({
      at: f.instant(
        'Instant of the exits; of those with a date only, the start of the day',
      ),
      exits: f.count('Exits at it'),
      net_pnl: f.money('Their realised P&L'),
      cumulative_net_pnl: f.money('Realised P&L of the period up to them'),
      drawdown: f.money(
        'Fall from the running peak of cumulative realised P&L (at least 0), as a positive amount',
      ),
    }),
    `Realised P&L exit by exit, those of one instant together, oldest first: the first ${MOST_STEPS} instants of the period`,
  ),
);

type Step = z.infer<ReturnType<typeof realisedStepsRecord>>[number];

export class RealisedSteps extends RealisedCurve {
  rows(): Step[] {
    const steps: Step[] = [];
    const drawdown = new Drawdown(null);
    const total = new Sum();
    let ofStep = new Sum();
    let exits = 0;
    const places = this.inOrder();

    for (const [index, place] of Array.from(places).entries()) {
      const [at, net] = [this.at[place] ?? 0, this.nets[place] ?? 0];
      total.add(net);
      ofStep.add(net);
      drawdown.add(net, total.value, at);
      if (!this.costs.has(place)) exits++;
      if (this.at[places[index + 1] ?? -1] === at) continue;

      steps.push({
        at: toInstantText(at),
        exits,
        net_pnl: roundMoney(ofStep.value),
        cumulative_net_pnl: roundMoney(total.value),
        drawdown: roundMoney(drawdown.fall),
      });
      if (steps.length === MOST_STEPS) break;

      ofStep = new Sum();
      exits = 0;
    }

    return steps;
  }
}
