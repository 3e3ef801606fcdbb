/** Trades by net P&L, in equal steps. */
import { TableBehind } from '../components/table-behind.tsx';
import { useSession } from '../session.ts';
import { extentOf } from './extent.ts';

const MOST_STEPS = 14;

export function Histogram({ values }: { values: readonly number[] }) {
  const { format } = useSession();
  const steps = stepsOf(values);
  const most = Math.max(...steps.map(({ count }) => count), 1);
  const nameOf = ({ from, to }: Step) => `${format.shortGain(from)} to ${format.shortGain(to)}`;
  return (
    <>
      <div class="histogram" aria-hidden="true">
        {steps.map((step, index) => (
          <div
            key={step.from}
            class={`histogram-step ${step.from < 0 ? 'loss' : 'gain'}`}
            title={`${nameOf(step)}: ${step.count}`}
          >
            <span class="histogram-count">{step.count > 0 ? format.count(step.count) : ''}</span>
            <span class="histogram-bar" style={{ '--share': step.count / most }} />
            <span class="histogram-name">{isNamed(steps, index) ? format.axisMoney(step.from) : ''}</span>
          </div>
        ))}
      </div>
      <TableBehind
        caption="Trades by net P&L"
        columns={['Net P&L', 'Trades']}
        rows={() => steps.map((step) => [nameOf(step), format.count(step.count)])}
      />
    </>
  );
}

/** The first, zero and the last; not the first if zero is next to it. */
function isNamed(steps: readonly Step[], index: number): boolean {
  return steps[index]?.from === 0 || index === steps.length - 1 || (index === 0 && steps[1]?.from !== 0);
}

interface Step {
  from: number;
  to: number;
  count: number;
}

/** Steps of 1, 2 or 5 times a power of ten; one begins at 0. */
function stepsOf(values: readonly number[]): Step[] {
  const [least, most] = extentOf([0, ...values]);
  const wanted = (most - least || 1) / MOST_STEPS;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const width = ([1, 2, 5, 10].find((step) => step * power >= wanted) ?? 10) * power;
  const first = Math.floor(least / width);
  const counts = new Map<number, number>();
  for (const value of values) {
    const step = Math.floor(value / width);
    counts.set(step, (counts.get(step) ?? 0) + 1);
  }
  const last = Math.max(first, Math.floor(most / width));
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const from = (first + index) * width;
    return { from, to: from + width, count: counts.get(first + index) ?? 0 };
  });
}
