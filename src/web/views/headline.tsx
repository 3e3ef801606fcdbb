/** The main figures of the period, with those of the previous period. */
import { Figure } from '../components/figure.tsx';
import { FIGURES, NET, TOTAL_R } from '../figures.ts';
import { plural } from '../format.ts';
import { hidesMoney, useSession, useUnit } from '../session.ts';
import type { FirstFigures, Performance } from '../types.ts';

interface HeadlineProps {
  figures: FirstFigures;
  /** Null if there is no previous period, undefined before its figures are loaded. */
  previous: Performance | null | undefined;
}

export function Headline({ figures, previous }: HeadlineProps) {
  const { format, me } = useSession();
  const { performance, daily, period } = figures;
  const main = hidesMoney(me) ? TOTAL_R : NET;
  const unit = useUnit();
  /** Each figure says what it counts if that isn't trades. */
  const counts = unit === 'position' ? `of ${plural(performance.trades, unit)}` : null;
  const [first, last] = [period.start_date ?? daily[0]?.date, period.end_date ?? daily.at(-1)?.date];
  const before = (write: (of: Performance) => string) => {
    // An empty line until then, so that nothing below moves.
    if (previous === undefined && period.start_date !== null) return '\u00a0';
    return previous && previous.trades > 0 ? `before: ${write(previous)}` : undefined;
  };
  return (
    <section class="headline card" aria-label="Figures">
      <div>
        <dl>
          <Figure
            class="figure-main"
            name={main.name}
            sample={counts}
            formula={main.formula}
            value={main.write(performance, format)}
            tone={main.tone?.(performance) ?? ''}
            previous={before((of) => main.write(of, format))}
          />
        </dl>
        <p class="fine">
          {format.day(first)}
          {first !== last && ` – ${format.day(last)}`}, in {performance.currency}
          {me.user.name ? `, ${me.user.name}` : ''}
        </p>
      </div>
      <dl class="figures">
        {FIGURES.filter(({ isMoney }) => !(isMoney && hidesMoney(me))).map(
          ({ name, formula, write, tone, sample, range }) => (
            <Figure
              key={name}
              name={name === 'Trades' && counts ? 'Positions' : name}
              formula={formula}
              value={write(performance, format)}
              tone={tone?.(performance) ?? ''}
              sample={sample?.(performance, unit) ?? (name === 'Trades' ? null : counts)}
              range={range?.(performance, format) ?? null}
              previous={before((of) => write(of, format))}
            />
          ),
        )}
      </dl>
    </section>
  );
}
