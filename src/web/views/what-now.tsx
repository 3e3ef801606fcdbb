/**
 * What to look at next: groups of trades that cost or pay beyond chance, else the latest
 * notes.
 */
import type { Query } from '../api.ts';
import { Card } from '../components/card.tsx';
import { Awaited } from '../components/problem.tsx';
import { Table } from '../components/table.tsx';
import { filtersOf, nameOf, nameOfKey, withFilter } from '../filters.ts';
import { plural, toneOf, word } from '../format.ts';
import { useResults } from '../results.ts';
import { hrefOf, type Place } from '../router.ts';
import { useFigures, useResponse, useSession, useUnit } from '../session.ts';
import type { JournalRow, Key, OutlookFigures, Page, Session } from '../types.ts';

type LeakFigures = OutlookFigures['leaks'];

interface WhatNowProps {
  asked: Query;
  place: Place;
}

/** As high before it is loaded as after, so that nothing below moves. */
export function WhatNow({ asked, place }: WhatNowProps) {
  const { isReport } = useSession();
  const { isInR } = useResults();
  const { body, failure, isLoading } = useFigures(isInR ? null : asked, 'leaks');
  const isAwaited = !isInR && !body;
  const leaks = body?.data.leaks;
  if (isAwaited) {
    return (
      <Card title="What now" class="now">
        <Awaited failure={failure} />
      </Card>
    );
  }

  if (leaks && hasFound(leaks)) {
    return (
      <Card title="What costs, what pays" class={isLoading ? 'now stale' : 'now'}>
        <Leaks leaks={leaks} place={place} isShort={!isReport} />
      </Card>
    );
  }
  return isReport ? null : <LatestNotes place={place} leaks={leaks} />;
}

/** Notes on the first screen. */
const MOST_NOTES = 4;

interface Note {
  at: string;
  about: string;
  text: string | null | undefined;
  href: string;
}

/** What was written last: about trades, and about days. */
function LatestNotes({ place, leaks }: { place: Place; leaks: LeakFigures | undefined }) {
  const { me, format } = useSession();
  const { scopes, shows } = me.key;
  const mayRead = (scope: string) =>
    scopes.includes(scope) && !shows.hides.includes('texts');
  const limit = { limit: MOST_NOTES };
  const entries = useResponse<Page<JournalRow>>(
    mayRead('journals:read') ? 'journal-rows' : null,
    limit,
  );
  const sessions = useResponse<Page<Session>>(
    mayRead('sessions:read') ? 'sessions' : null,
    limit,
  );
  if (!mayRead('journals:read') && !mayRead('sessions:read')) return null;

  const notes = [
    ...(entries.body?.data ?? []).map((entry): Note => noteOfEntry(entry)),
    ...(sessions.body?.data ?? []).map((session): Note => noteOfSession(session)),
  ]
    .filter(({ text }) => text)
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, MOST_NOTES);
  const isLoading = entries.isLoading || sessions.isLoading;
  const isFiltered = filtersOf(place.query).length > 0;

  return (
    <Card
      title="Latest notes"
      class="now"
      aside={
        isFiltered && (
          <p class="card-aside muted">of all trades and days, without filters</p>
        )
      }
    >
      {isLoading && <Awaited failure={entries.failure ?? sessions.failure} />}
      {notes.length === 0 && !isLoading && (
        <>
          <p class="nothing">
            No notes yet. To write about today: <code>journal-api day --edit</code>
          </p>
          {leaks?.reason === null && <Leaks leaks={leaks} place={place} />}
        </>
      )}
      <ul class="notes stack">
        {(isLoading ? [] : notes).map(({ at, about, text, href }) => (
          <li key={href + at}>
            <a href={href}>
              <bdi>{about}</bdi>
            </a>{' '}
            <span class="fine">{format.shortDay(at)}</span>
            <p>{text}</p>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function noteOfEntry(entry: JournalRow): Note {
  const { created_at, symbol, title, phase, body, lesson, went_well, went_wrong } = entry;
  const name = title ?? word(phase);
  return {
    at: created_at,
    about: symbol === null ? name : `${symbol} · ${name}`,
    text: body ?? lesson ?? went_wrong ?? went_well,
    href: entry.trade_id
      ? hrefOf('trades', {}, entry.trade_id)
      : hrefOf('journal', { kind: 'entries' }),
  };
}

function noteOfSession({ date, name, plan, notes, review }: Session): Note {
  return {
    at: date,
    about: name ?? 'Trading day',
    text: review?.lesson ?? notes ?? plan,
    href: hrefOf('overview', { period: date }),
  };
}

type LeakRow = LeakFigures['costs'][number];

/** Rows of each table on the first screen. */
const MOST_SHORT = 2;

/** All groups of trades that cost or pay beyond chance. */
export function WhatCosts({ asked, place }: WhatNowProps) {
  const { body, failure, isLoading } = useFigures(asked, 'leaks');
  return (
    <Card title="What costs, what pays" class={isLoading && body ? 'wide stale' : 'wide'}>
      {body ? (
        <Leaks leaks={body.data.leaks} place={place} />
      ) : (
        <Awaited failure={failure} />
      )}
    </Card>
  );
}

interface LeaksProps {
  leaks: LeakFigures;
  place: Place;
  /** Only the first rows and columns. */
  isShort?: boolean;
}

function Leaks({ leaks, place, isShort = false }: LeaksProps) {
  const { tried, reason, costs, gains } = leaks;
  const unit = useUnit();
  if (reason !== null) return <p class="nothing">No test yet: {reason}.</p>;
  if (!hasFound(leaks)) {
    return (
      <p class="nothing">
        None of {plural(tried, 'group')} of {unit}s (by setup, weekday, hour, size, after
        a loss …) differs from the rest by more than chance.
      </p>
    );
  }

  return (
    <>
      <p class="lead">
        {isShort
          ? 'Beyond chance, of '
          : 'These differ from the rest by more than chance, of '}
        {plural(tried, 'group')} of {unit}s tested; 1 in 20 such findings is wrong.
      </p>
      <LeakTable title="Costs" rows={costs} place={place} isShort={isShort} />
      <LeakTable title="Pays" rows={gains} place={place} isShort={isShort} />
    </>
  );
}

function hasFound({ costs, gains }: LeakFigures): boolean {
  return costs.length + gains.length > 0;
}

interface LeakTableProps {
  title: string;
  rows: readonly LeakRow[];
  place: Place;
  isShort: boolean;
}

function LeakTable({ title, rows, place, isShort }: LeakTableProps) {
  const { format } = useSession();
  const unit = useUnit();
  if (rows.length === 0) return null;

  const named = (by: LeakRow['by']) =>
    Object.entries(by)
      .map(([name, key]) => `${nameOf(name)}: ${nameOfKey(name, key as Key, format)}`)
      .join(', ');

  const only = (by: LeakRow['by']) =>
    Object.entries(by).reduce<Record<string, string | undefined>>(
      (query, [dimension, key]) =>
        withFilter(query, { dimension, key: key as Key, isWithout: false }),
      place.query,
    );

  const money = (
    name: string,
    field: 'expectancy' | 'expectancy_rest' | 'net_pnl_without',
  ) => ({
    name,
    class: field === 'net_pnl_without' ? 'number optional' : 'number',
    write: (row: LeakRow) => format.gain(row[field]),
    // Means without an interval have no colour.
    tone: (row: LeakRow) => (field === 'net_pnl_without' ? toneOf(row[field]) : ''),
  });

  return (
    <Table
      caption={title}
      captionClass="leak-title"
      columns={[
        {
          name: `${word(unit)}s`,
          isHeading: true,
          write: ({ by, trades }) => (
            <>
              <a href={hrefOf('overview', only(by))}>{named(by)}</a>{' '}
              <span class="fine whole">{plural(trades, unit)}</span>
            </>
          ),
        },
        money('Each', 'expectancy'),
        money('Rest, each', 'expectancy_rest'),
        ...(isShort ? [] : [money('Total without', 'net_pnl_without')]),
      ]}
      rows={isShort ? rows.slice(0, MOST_SHORT) : rows}
    />
  );
}
