/**
 * The main figures of the period, with those of the previous period, and without excluded
 * trades.
 */
import { useId } from 'preact/hooks';
import type { Query } from '../api.ts';
import { Card, Fold } from '../components/card.tsx';
import { type Column, Table } from '../components/table.tsx';
import { boundsOf } from '../days.ts';
import {
  CLOSED_DRAWDOWN,
  FIGURES,
  type FigureDefinition,
  type Figures,
  figuresMissing,
  hasSample,
  isMoney,
  MAIN_FIGURES,
  NET,
  previousInWords,
  REALISED,
  rangeOf,
  sampleOf,
  TOTAL_R,
  toneIn,
  written,
} from '../figures.ts';
import { NONE, plural, toneOf } from '../format.ts';
import { closedInWords, differenceInWords, differs } from '../realised-in-words.ts';
import { hidesMoney, useFigures, useOtherUnit, useSession, useUnit } from '../session.ts';
import type { FirstFigures, Performance, WhatIfFigures } from '../types.ts';

interface HeadlineProps {
  figures: FirstFigures;
  /** Null if there is no previous period, undefined before its figures are loaded. */
  previous: Performance | null | undefined;
  /** The request for the figures. */
  asked: Query;
}

/** How much and how good; the other figures unfold. */
export function Headline({ figures, previous, asked }: HeadlineProps) {
  const { format, me } = useSession();
  const { performance, period } = figures;
  const unit = useUnit();
  const isInR = hidesMoney(me);
  const all = FIGURES.filter((figure) => !(isMoney(figure) && isInR));
  const main: readonly FigureDefinition['of'][] = MAIN_FIGURES[isInR ? 'r' : 'money'];
  const total = mainOf(performance, isInR);
  const others = all.filter(({ of }) => of !== 'trades' && !main.includes(of));
  const missing = figuresMissing(all, performance, unit);
  /** Each figure says what it counts if that isn't what the owner calls a trade. */
  const counts = useOtherUnit() ? `of ${plural(performance.trades, unit)}` : null;

  // An empty line until it is loaded, and without one, so that nothing below moves.
  const before = (definition: FigureDefinition) =>
    previousInWords(definition, previous, format) ??
    (period.start_date === null ? null : '\u00a0');

  const figure = (definition: FigureDefinition) => (
    <Figure
      key={definition.name}
      name={definition.name}
      formula={definition.formula}
      value={written(definition, performance, format)}
      tone={toneIn(definition, performance)}
      lines={[
        sampleOf(definition, performance, unit) ?? counts,
        rangeOf(definition, performance, format),
        main.includes(definition.of)
          ? before(definition)
          : previousInWords(definition, previous, format),
      ]}
    />
  );
  const list = (definitions: readonly FigureDefinition[]) =>
    definitions
      .filter((definition) => hasSample(definition, performance))
      .filter((definition) => written(definition, performance, format) !== NONE)
      .map((definition) => figure(definition));

  return (
    <section class="headline card box stack" aria-label="Figures">
      <MainFigure
        figures={figures}
        definition={total}
        counts={counts}
        previous={before(total)}
      />
      <dl class="figures stack">{list(all.filter(({ of }) => main.includes(of)))}</dl>
      <Difference figures={figures} asked={asked} />
      <Fold title="More figures" about="drawdown, averages, payoff, Sharpe, R, fees">
        {() => (
          <>
            <dl class="figures stack">{list(others)}</dl>
            {missing.length > 0 && <p class="fine">Not shown: {missing.join('; ')}.</p>}
          </>
        )}
      </Fold>
    </section>
  );
}

interface MainFigureProps {
  figures: FirstFigures;
  definition: FigureDefinition;
  /** What it counts; null: trades. */
  counts: string | null;
  /** That of the previous period, in words. */
  previous: string | null;
}

/** The result of the period, and what it is of. */
function MainFigure({ figures, definition, counts, previous }: MainFigureProps) {
  const { format, me } = useSession();
  const unit = useUnit();
  const { performance } = figures;
  const { first, last } = boundsOf(figures);

  return (
    <div>
      <dl class="figure-main">
        <Figure
          name={definition.name}
          formula={definition.formula}
          value={written(definition, performance, format)}
          tone={toneIn(definition, performance)}
          lines={[counts]}
        />
      </dl>
      <p class="fine">
        {format.count(performance.trades)} {performance.trades === 1 ? unit : `${unit}s`}{' '}
        closed ·{' '}
        {first === last
          ? format.day(first)
          : `${format.date(first)} – ${format.date(last)}`}
        , in {performance.currency}
        {me.user.name ? `, ${me.user.name}` : ''}
        {unit === 'position' && ' · legs of a spread count as one'}
      </p>
      <p class="figure-previous">{previous}</p>
    </div>
  );
}

/** Without amounts and risks there is no result: the number of trades. */
function mainOf({ r_sample }: Performance, isInR: boolean): FigureDefinition {
  if (!isInR) return REALISED;
  return r_sample > 0 ? TOTAL_R : (FIGURES.find(({ of }) => of === 'trades') ?? TOTAL_R);
}

interface DifferenceProps {
  figures: FirstFigures;
  /** The request for the figures. */
  asked: Query;
}

/** What closed trades made, and the exits that differ from them, if any do. */
function Difference({ figures: { performance, realised }, asked }: DifferenceProps) {
  const { format } = useSession();
  const isShown = differs(performance);
  const hasUnmatched = isShown && realised.some(({ unmatched }) => unmatched > 0);
  const open = useFigures(isShown ? { ...asked, status: 'open' } : null, 'performance');
  const quality = useFigures(hasUnmatched ? asked : null, 'data_quality');
  if (!isShown) return null;

  const isAwaited = open.isLoading || quality.isLoading || !open.body;
  const others = {
    ofOpen: open.body?.data.performance.realised_pnl ?? 0,
    // Without a request, the body is that of the period before.
    unmatched: hasUnmatched
      ? (quality.body?.data.data_quality.unmatched.realised_stated ?? 0)
      : 0,
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
  /** Its sample, its interval and the value of the previous period; null is omitted. */
  lines: readonly (string | null)[];
  formula: string;
}

/** A figure with its name; the formula shows on hover and focus. */
function Figure({ name, value, tone, lines, formula }: FigureProps) {
  const id = useId();
  return (
    <div class="figure">
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
      {lines
        .filter((line) => line !== null)
        .map((line) => (
          <dd class="figure-previous" key={line}>
            {line}
          </dd>
        ))}
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
