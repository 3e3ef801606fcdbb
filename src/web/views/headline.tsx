/**
 * The main figures of the period, with those of the previous period, and without excluded trades.
 */
import { useId } from 'preact/hooks';
import type { Query } from '../api.ts';
import { Card } from '../components/card.tsx';
import { type Column, Table } from '../components/table.tsx';
import { boundsOf } from '../days.ts';
import {
  CLOSED_DRAWDOWN,
  FIGURES,
  type FigureDefinition,
  type Figures,
  isMoney,
  NET,
  REALISED,
  rangeOf,
  sampleOf,
  TOTAL_R,
  toneIn,
  written,
} from '../figures.ts';
import { plural, toneOf } from '../format.ts';
import { closedInWords, differenceInWords, differs } from '../realised-in-words.ts';
import { hidesMoney, useFigures, useOtherUnit, useSession, useUnit } from '../session.ts';
import type { FirstFigures, Performance, WhatIfFigures } from '../types.ts';

interface HeadlineProps {
  figures: FirstFigures;
  /** Null if there is no previous period, undefined before its figures are loaded. */
  previous: Performance | null | undefined;
}

export function Headline({ figures, previous }: HeadlineProps) {
  const { format, me } = useSession();
  const { performance, period } = figures;
  const { first, last } = boundsOf(figures);
  const unit = useUnit();
  const isByPosition = unit === 'position';
  /** Each figure says what it counts if that isn't what the owner calls a trade. */
  const counts = useOtherUnit() ? `of ${plural(performance.trades, unit)}` : null;

  const before = (definition: FigureDefinition) => {
    // An empty line until then, so that nothing below moves.
    if (previous === undefined && period.start_date !== null) return '\u00a0';
    return previous && previous.trades > 0
      ? `before: ${written(definition, previous, format)}`
      : undefined;
  };

  const shown = (definition: FigureDefinition) => ({
    name: definition.name,
    formula: definition.formula,
    value: written(definition, performance, format),
    tone: toneIn(definition, performance),
    previous: before(definition),
  });

  return (
    <section class="headline card box stack" aria-label="Figures">
      <div>
        <dl>
          <Figure
            class="figure-main"
            sample={counts}
            {...shown(hidesMoney(me) ? TOTAL_R : REALISED)}
          />
        </dl>
        <p class="fine">
          {format.day(first)}
          {first !== last && ` – ${format.day(last)}`}, in {performance.currency}
          {me.user.name ? `, ${me.user.name}` : ''}
          {isByPosition && ' · legs of a spread count as one'}
        </p>
      </div>
      <dl class="figures stack">
        {FIGURES.filter((figure) => !(isMoney(figure) && hidesMoney(me))).map(
          (definition) => (
            <Figure
              key={definition.name}
              {...shown(definition)}
              name={
                definition.of === 'trades' && isByPosition ? 'Positions' : definition.name
              }
              sample={
                sampleOf(definition, performance, unit) ??
                (definition.of === 'trades' ? null : counts)
              }
              range={rangeOf(definition, performance, format)}
            />
          ),
        )}
      </dl>
    </section>
  );
}

interface DifferenceProps {
  figures: FirstFigures;
  /** The request for the figures. */
  asked: Query;
}

/** What closed trades made, and the exits that differ from them, if any do. */
export function Difference({
  figures: { performance, realised },
  asked,
}: DifferenceProps) {
  const { format } = useSession();
  const isShown = differs(performance);
  const hasUnmatched = isShown && realised.some(({ unmatched }) => unmatched > 0);
  const open = useFigures(isShown ? { ...asked, status: 'open' } : null, 'performance');
  const quality = useFigures(hasUnmatched ? asked : null, 'data_quality');
  if (!isShown) return null;

  const isAwaited = open.isLoading || quality.isLoading || !open.body;
  const others = {
    ofOpen: open.body?.data.performance.realised_pnl ?? 0,
    unmatched: quality.body?.data.data_quality.unmatched.realised_stated ?? 0,
  };

  return (
    <p class="fine difference">
      {isAwaited
        ? closedInWords(performance.net_pnl, format.gain)
        : differenceInWords(performance, others, format)}
    </p>
  );
}

interface FigureProps {
  name: string;
  value: string;
  tone: string;
  /** The value of the previous period. */
  previous: string | undefined;
  /** The trades it is made of, if not all. */
  sample: string | null;
  range?: string | null;
  formula: string;
  class?: string;
}

/** A figure with its name; the formula shows on hover and focus. */
function Figure({
  name,
  value,
  tone,
  previous,
  sample,
  range = null,
  formula,
  class: more = '',
}: FigureProps) {
  const id = useId();
  return (
    <div class={`figure ${more}`}>
      <dt>
        <button type="button" class="figure-name fine" aria-describedby={id}>
          {name}
        </button>
        <span role="tooltip" id={id} class="tooltip">
          {formula}
        </span>
      </dt>
      <dd class={`figure-value ${tone}`} style={{ '--length': value.length }}>
        {value}
      </dd>
      {sample !== null && <dd class="figure-previous">{sample}</dd>}
      {range !== null && <dd class="figure-previous">{range}</dd>}
      {previous !== undefined && <dd class="figure-previous">{previous}</dd>}
    </div>
  );
}

/** The figures of both. */
const COMPARED: readonly FigureDefinition[] = [
  REALISED,
  NET,
  ...FIGURES.filter(({ of }) =>
    ['trades', 'win_rate', 'profit_factor', 'expectancy'].includes(of),
  ),
  CLOSED_DRAWDOWN,
];

/** The actual period, next to the period without the excluded trades. */
export function WhatIf({
  whatIf: { excluded, actual, without },
}: {
  whatIf: WhatIfFigures;
}) {
  const { format } = useSession();
  const column = (name: string, figures: Figures): Column<FigureDefinition> => ({
    name,
    class: 'number',
    write: (row) => written(row, figures, format),
    tone: (row) => (row === REALISED || row === NET ? toneIn(row, figures) : ''),
  });

  return (
    <Card title="What if" class="wide">
      <p class="lead">
        The excluded {plural(excluded.trades, 'trade')} made{' '}
        <strong class={toneOf(excluded.net_pnl)}>{format.gain(excluded.net_pnl)}</strong>.
      </p>
      <Table
        class="plain what-if"
        caption="Figures with and without the excluded trades"
        columns={[
          { name: 'Figure', isHeading: true, write: ({ name }) => name },
          column('Actual', actual),
          column('Without', without),
        ]}
        rows={COMPARED}
      />
    </Card>
  );
}
