/**
 * In place of figures: no trades at all, in the period, for the filters, or with an
 * exchange rate. Which trades figures exclude.
 */
import { Card } from '../components/card.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Command } from '../components/problem.tsx';
import { carried, FIGURES_ONLY, filtersOf, nameOf } from '../filters.ts';
import { plural } from '../format.ts';
import { apiPeriod, periodName, periodQuery } from '../periods.ts';
import { notReconciled } from '../realised-in-words.ts';
import { hrefOf, type Place } from '../router.ts';
import { useFigures, useSession, useUnit } from '../session.ts';
import type { Analytics, FirstFigures } from '../types.ts';

export function NoFigures({ figures, place }: { figures: FirstFigures; place: Place }) {
  const { me } = useSession();
  const extent = me.extent.trades;
  const asked = { ...apiPeriod(place.query), ...carried(place.query) };
  const { body } = useFigures(asked, 'data_quality');
  const quality = body?.data.data_quality;

  return (
    <>
      {extent ? (
        <section class="problem box">
          <Reason place={place} extent={extent} hint={body?.hint} quality={quality} />
          {figures.open.trades > 0 && (
            <p>
              {plural(figures.open.trades, 'trade is', 'trades are')} still open:{' '}
              <a href={hrefOf('trades', { ...carried(place.query), status: 'open' })}>
                in the table
              </a>
              .
            </p>
          )}
        </section>
      ) : (
        <EmptyJournal />
      )}
      {quality && <NotReconciled quality={quality} />}
    </>
  );
}

interface ReasonProps {
  place: Place;
  /** Days of the first and the last trade. */
  extent: { first: string; last: string };
  hint: string | undefined;
  quality: Analytics['data_quality'] | undefined;
}

/** Why the period has no figures: no rates, no matches, or no trades. */
function Reason({ place, extent, hint, quality }: ReasonProps) {
  const { format } = useSession();
  if (quality && quality.without_rate > 0) return <WithoutRates quality={quality} />;

  if (filtersOf(place.query).length > 0) {
    return (
      <>
        <h2>No trades in this period match these filters</h2>
        {hint && <p>{hint}</p>}
        <p>
          <a href={hrefOf('overview', periodQuery(place.query))}>Show without filters</a>
        </p>
      </>
    );
  }

  return (
    <>
      <h2>No trades were closed in this period</h2>
      <p>
        The journal's trades are from {format.day(extent.first)} to{' '}
        {format.day(extent.last)}.{' '}
        {periodName(place.query) !== 'all' && (
          <a href={hrefOf('overview', { period: 'all' })}>Show all</a>
        )}
      </p>
    </>
  );
}

function WithoutRates({ quality }: { quality: Analytics['data_quality'] }) {
  const { user } = useSession().me;
  const { without_rate, currencies_left_out: currencies } = quality;

  return (
    <>
      <h2>No trade in this period has an exchange rate</h2>
      <p>
        {plural(without_rate, 'trade')} in {currencies.join(', ')}, without an exchange
        rate (fx_rate) to {user.base_currency}.{' '}
        <a href={hrefOf('trades')}>Show the trades</a>.
      </p>
      {currencies.length === 1 && (
        <>
          <p>If all your trades are in {currencies[0]}:</p>
          <Command
            text={`journal-api user set ${user.id} --base-currency ${currencies[0]}`}
          />
        </>
      )}
    </>
  );
}

/** The first import, for a journal without trades. */
export function EmptyJournal() {
  return (
    <section class="problem box">
      <h2>This journal has no trades yet</h2>
      <p>
        Import your platform's exports; the dashboard shows them within a minute. List
        what to export:
      </p>
      <Command text="journal-api import --formats" />
      <p>Then, with your file:</p>
      <Command text="journal-api import Performance.csv" />
    </section>
  );
}

/**
 * Closes without an opening, and totals of files that differ, with the commands that
 * settle each; absent if none.
 */
export function NotReconciled({ quality }: { quality: Analytics['data_quality'] }) {
  const { format, me, isReport } = useSession();
  const items = notReconciled(quality, format);
  if (items.length === 0) return null;

  // Symbols may be pseudonyms, and a report's reader has no journal.
  const isForOwner = !isReport && !me.key.shows.hides.includes('symbols');
  return (
    <Card title="Not reconciled" class="wide not-reconciled">
      <ul>
        {items.map(({ text, commands }) => (
          <li key={text}>
            {text}
            {isForOwner &&
              commands.map((command) => <Copyable isCode key={command} text={command} />)}
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** ", whatever the account": filters that don't reach a figure. */
function unfiltered({
  filters_ignored: names = [],
}: {
  filters_ignored?: string[] | undefined;
}) {
  const plain = names.filter((name) => !FIGURES_ONLY.includes(name));
  const words = plain.map((name) => nameOf(name).toLowerCase());
  if (plain.length < names.length) words.push('filters on figures');
  return words.length === 0 ? '' : `, whatever the ${words.join(' and ')}`;
}

/** Trades that some figures exclude, and why. */
export function Excluded({
  analytics: { data_quality: quality, open, missed, performance },
}: {
  analytics: Analytics;
}) {
  const { format } = useSession();
  const unit = useUnit();
  const of = (count: number) =>
    `${format.count(count)} of ${plural(performance.trades, unit)}`;
  // Other currencies have no rate here.
  const hypotheticalOf = ({
    hypothetical_pnl: pnl,
    forgone_gain: gain,
  }: typeof missed) =>
    pnl === 0 && gain === 0 ? '' : ` with a hypothetical P&L of ${format.gain(pnl)}`;
  const notes = [
    quality.without_rate > 0 &&
      `Excluded from all figures: ${plural(quality.without_rate, 'trade')} in ${quality.currencies_left_out.join(', ')} without an exchange rate (fx_rate).`,
    open.trades > 0 &&
      `Counted in realised P&L alone, on the days of their exits: ${plural(open.trades, 'open trade')} ` +
        `with ${format.gain(open.realised_pnl)} realised since their entries${unfiltered(open)}.`,
    quality.expired_open > 0 &&
      `Still open after expiration: ${plural(quality.expired_open, 'option')}. To close: journal-api expire --all`,
    performance.r_sample < performance.trades &&
      `Excluded from figures in R: ${of(performance.trades - performance.r_sample)}, without a risk.`,
    quality.without_stop > 0 && `Without a stop price: ${of(quality.without_stop)}.`,
    quality.without_journal > 0 &&
      `Without a journal entry, so without rules: ${of(quality.without_journal)}.`,
    missed.count > 0 &&
      `Never counted: ${plural(missed.count, 'missed trade')}${hypotheticalOf(missed)}${unfiltered(missed)}.`,
  ].filter((note) => note !== false);
  if (notes.length === 0) return null;

  return (
    <Card title="Excluded trades" class="wide excluded">
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </Card>
  );
}
