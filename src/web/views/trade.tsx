/** One trade: fills, figures, group, journal entries, and the session of the day. */
import { Card } from '../components/card.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Awaited, Problem } from '../components/problem.tsx';
import {
  type Column,
  type Fact,
  FactList,
  Scroll,
  Table,
  useNetColumn,
} from '../components/table.tsx';
import {
  type Formats,
  INSTRUMENT_FIELDS,
  instrumentName,
  toneOf,
  word,
} from '../format.ts';
import { useResults } from '../results.ts';
import { hrefOf } from '../router.ts';
import { useResponse, useSession } from '../session.ts';
import type { Page, Position, Trade, TradeDetail } from '../types.ts';
import { EntryList, SessionItem, useSessionsOf } from './journal-items.tsx';
import { Attachments, Labels, Text } from './journal-parts.tsx';

export function OneTrade({ id }: { id: string }) {
  const response = useResponse<{ data: TradeDetail }>(`trades/${encodeURIComponent(id)}`);
  const trade = response.body?.data;

  return (
    <div class="view stack">
      <nav class="back row" aria-label="Trades">
        <a href={hrefOf('trades')}>All trades</a>
        {trade && <Neighbours trade={trade} />}
      </nav>
      {trade ? <Detail trade={trade} /> : <Awaited failure={response.failure} />}
    </div>
  );
}

function Detail({ trade }: { trade: TradeDetail }) {
  return (
    <>
      <Head trade={trade} />
      <div class="grid stack">
        <Card title="Figures">
          <Facts trade={trade} />
        </Card>
        <Card title="Notes">
          <Labels
            setup={trade.setup}
            tags={trade.tags}
            mistakes={trade.mistakes}
            fields={trade.fields}
          />
          {trade.notes ? (
            <Text text={trade.notes} />
          ) : (
            <p class="nothing">No notes on this trade.</p>
          )}
          <Attachments attachments={trade.attachments} />
        </Card>
        <Fills trade={trade} />
        {trade.group && <Legs group={trade.group} thisId={trade.id} />}
      </div>
      <Entries trade={trade} />
      <WriteDown trade={trade} />
      <SessionOfDay at={trade.executed_at} />
    </>
  );
}

/** What was traded, and its result. */
function Head({ trade }: { trade: TradeDetail }) {
  const { format } = useSession();
  const { isInR } = useResults();

  return (
    <div class="trade-head">
      <div>
        <h1>{instrumentName(trade, format)}</h1>
        <p class="muted">
          {word(trade.side)} {!isInR && format.price(trade.quantity)} ·{' '}
          {word(trade.market)}
          {trade.account && (
            <>
              {' · account '}
              <bdi>{trade.account}</bdi>
            </>
          )}{' '}
          · {endsOf(trade, format).opened}
        </p>
      </div>
      <Result of={trade} />
    </div>
  );
}

/** The result of a trade or position; in R if the key hides money. */
export function Result({ of }: { of: Trade | Position }) {
  const { format } = useSession();
  const { isInR } = useResults();
  const { status, outcome, realised_pnl, currency, r_multiple } = of;

  return (
    <p class="trade-result muted">
      {isInR ? (
        <strong class={toneOf(r_multiple)}>
          {r_multiple !== null && format.r(r_multiple)}
        </strong>
      ) : (
        <strong class={toneOf(realised_pnl)}>
          {format.gain(realised_pnl, currency)}
        </strong>
      )}
      <span>
        {status === 'open' ? 'so far, still open' : word(outcome ?? '')}
        {!isInR && r_multiple !== null && ` · ${format.r(r_multiple)}`}
      </span>
    </p>
  );
}

/** Journal entries of the trade and of its group. */
function Entries({ trade }: { trade: TradeDetail }) {
  const entries = [...(trade.journals ?? []), ...(trade.group_journals ?? [])];

  return (
    <EntryList entries={trade.journals === null ? null : entries} about="this trade" />
  );
}

/** The trades opened before and after this one. */
function Neighbours({ trade }: { trade: TradeDetail }) {
  const fields = INSTRUMENT_FIELDS.join(',');
  // An interval of instants includes its start, not its end.
  const before = useResponse<Page<Named>>('trades', {
    end: trade.executed_at,
    limit: 1,
    fields,
  }).body?.data[0];
  const later = useResponse<Page<Named>>('trades', {
    start: trade.executed_at,
    order: 'asc',
    limit: 100,
    fields,
  });
  const list = later.body?.data ?? [];
  const after = list[list.findIndex(({ id }) => id === trade.id) + 1];

  return (
    <>
      {before && <Neighbour trade={before} name="Previous" />}
      {after && after.id !== trade.id && <Neighbour trade={after} name="Next" />}
    </>
  );
}

type Named = Pick<Trade, 'id' | (typeof INSTRUMENT_FIELDS)[number]>;

function Neighbour({ trade, name }: { trade: Named; name: 'Previous' | 'Next' }) {
  const { format } = useSession();
  const isPrevious = name === 'Previous';
  return (
    <a href={hrefOf('trades', {}, trade.id)} rel={isPrevious ? 'prev' : 'next'}>
      {isPrevious && <span aria-hidden="true">‹ </span>}
      {name}: {instrumentName(trade, format)}
      {!isPrevious && <span aria-hidden="true"> ›</span>}
    </a>
  );
}

/** Entry and exit: a date without a time is shown as that. */
function endsOf(trade: TradeDetail, format: Formats): { opened: string; closed: string } {
  const { executed_at, closed_at, executions = [], has_time } = trade;
  const at = (instant: string, hasTime = has_time) =>
    hasTime ? format.instant(instant) : format.instantDay(instant);
  return {
    opened: at(executed_at, executions[0]?.has_time),
    closed:
      closed_at === null ? 'still open' : at(closed_at, executions.at(-1)?.has_time),
  };
}

function Facts({ trade }: { trade: TradeDetail }) {
  const { format } = useSession();
  const money = (value: number | null) => format.money(value, trade.currency);
  const { opened, closed } = endsOf(trade, format);
  // Candles show how far it certainly went, and how far it may have gone at most.
  const excursion = (value: number | null, bound: number | null) =>
    (bound ?? value) === value
      ? money(value)
      : `${money(value)}, at most ${money(bound)}`;
  const facts: readonly Fact[] = [
    ['Opened', opened],
    ['Closed', closed],
    ['Held', format.duration(trade.holding_seconds)],
    ['Entry', format.price(trade.entry_price)],
    ['Exit', format.price(trade.exit_price)],
    ['Stop', format.price(trade.stop_loss)],
    ['Target', format.price(trade.take_profit)],
    ['Gross P&L', money(trade.gross_pnl)],
    ['Fees', money(trade.fees)],
    ['Risk', money(trade.risk)],
    ['Worst (MAE)', excursion(trade.mae, trade.mae_bound)],
    ['Best (MFE)', excursion(trade.mfe, trade.mfe_bound)],
    ['Timeframe', trade.timeframe],
    ['Rating', trade.rating === null ? null : `${trade.rating} of 5`],
    ['Contract', contractOf(trade, format.day)],
    ['Source', trade.source],
  ];

  return <FactList facts={facts} />;
}

/** The trade's executions; none if it has none, or if the key hides prices. */
export function Fills({
  trade,
  title = 'Fills',
}: {
  trade: TradeDetail;
  title?: string;
}) {
  const { format } = useSession();
  const { isInR } = useResults();
  const { executions, entry_price, currency } = trade;
  const quantity = useQuantityColumn();
  if (executions.length === 0 || entry_price === undefined) return null;

  const columns: Column<Execution>[] = [
    {
      name: 'Time',
      isHeading: true,
      write: ({ executed_at, has_time }) =>
        has_time ? format.instant(executed_at) : format.instantDay(executed_at),
    },
    { name: 'Side', write: ({ side }) => word(side) },
    ...quantity,
    { name: 'Price', class: 'number', write: ({ price }) => format.price(price) },
    ...(isInR ? [] : exitColumns(currency, format)),
  ];

  return (
    <Card title={title} class="wide">
      <Scroll label={title}>
        <Table class="plain fills" caption={title} columns={columns} rows={executions} />
      </Scroll>
    </Card>
  );
}

/** In money: its costs, what it realised after costs, and the quantity held after it. */
function exitColumns(currency: string, format: Formats): Column<Execution>[] {
  return [
    {
      name: 'Fees',
      class: 'number optional',
      write: ({ fees }) => format.money(fees, currency),
    },
    {
      name: 'Realised P&L',
      class: 'number',
      write: ({ realised_pnl }) =>
        realised_pnl !== null && format.gain(realised_pnl, currency),
      tone: ({ realised_pnl }) => toneOf(realised_pnl),
    },
    {
      name: 'Position',
      class: 'number optional',
      write: ({ position }) => format.price(position),
    },
  ];
}

type Execution = TradeDetail['executions'][number];

/** No column if the key hides sizes. */
function useQuantityColumn(): Column<{ quantity: number }>[] {
  const { format } = useSession();
  const { isInR } = useResults();
  if (isInR) return [];
  return [
    {
      name: 'Quantity',
      class: 'number',
      write: ({ quantity }) => format.price(quantity),
    },
  ];
}

function contractOf(
  { underlying, expiration, strike, option_type }: Trade,
  day: (date: string) => string,
) {
  const parts = [
    underlying,
    strike,
    option_type,
    expiration && day(expiration.slice(0, 10)),
  ];
  return parts.filter((part) => part !== null && part !== '').join(' ') || null;
}

const LEG_FIELDS = [
  ...INSTRUMENT_FIELDS,
  'side',
  'quantity',
  'currency',
  'net_pnl',
] as const satisfies readonly (keyof Trade)[];

type Leg = Pick<Trade, 'id' | (typeof LEG_FIELDS)[number]>;

function Legs({
  group,
  thisId,
}: {
  group: NonNullable<TradeDetail['group']>;
  thisId: string;
}) {
  const { format } = useSession();
  const { isInR } = useResults();
  const response = useResponse<Page<Leg>>('trades', {
    group_id: group.id,
    limit: 100,
    fields: LEG_FIELDS.join(','),
  });

  const named = (leg: Leg) => {
    const name = instrumentName(leg, format);
    return leg.id === thisId ? name : <a href={hrefOf('trades', {}, leg.id)}>{name}</a>;
  };

  const columns: Column<Leg>[] = [
    { name: 'Leg', isHeading: true, write: named },
    { name: 'Side', write: ({ side }) => side },
    ...useQuantityColumn(),
    ...useNetColumn(),
  ];
  const name = (
    <a href={hrefOf('trades', { kind: group.kind }, group.id)}>{group.name}</a>
  );
  return (
    <Card title="Position" class="wide">
      <p>
        {name} · {word(group.kind)} · <bdi>{group.strategy ?? 'no strategy'}</bdi> ·{' '}
        {!isInR && (
          <strong class={toneOf(group.net_pnl)}>
            {format.gain(group.net_pnl, group.currency)}
          </strong>
        )}
        {group.r_multiple !== null &&
          `${isInR ? '' : ' · '}${format.r(group.r_multiple)}`}
      </p>
      {response.failure && <Problem failure={response.failure} />}
      <Table
        caption="Legs of the group"
        columns={columns}
        rows={response.body?.data ?? []}
      />
      {group.notes && <Text text={group.notes} />}
    </Card>
  );
}

export function SessionOfDay({ at }: { at: string }) {
  const sessions = useSessionsOf(useSession().format.dayOf(at));
  if (!sessions?.length) return null;

  return (
    <section class="entries stack">
      <h2>Session of that day</h2>
      {sessions.map((session) => (
        <SessionItem key={session.id} session={session} />
      ))}
    </section>
  );
}

/**
 * The trade's section of a day note to copy, and the command that imports it. The
 * dashboard itself writes nothing.
 */
function WriteDown({ trade }: { trade: TradeDetail }) {
  const { format } = useSession();
  return (
    <Card title="Write about this trade" class="wide no-print">
      <p>
        Copy this into a note named after the day, fill it in and import the note. Empty
        fields change nothing:
      </p>
      <Copyable isCode text={sectionOf(trade, format)} />
      <p>Or edit the note of the whole day, with a section per trade:</p>
      <Copyable
        isCode
        text={`journal-api day ${format.dayOf(trade.executed_at)} --edit`}
      />
    </Card>
  );
}

/** A heading that identifies the trade, and its current fields. */
function sectionOf(trade: TradeDetail, format: Formats): string {
  const fields: readonly (readonly [name: string, value: string | number | null])[] = [
    ['setup', trade.setup],
    trade.stop_loss === null && trade.initial_risk !== null
      ? ['risk', trade.initial_risk]
      : ['stop_loss', trade.stop_loss],
    ['rules', null],
    ['mistakes', trade.mistakes.join(', ')],
    ['rating', trade.rating],
    ['followed_plan', null],
  ];
  const time =
    (trade.executions?.[0]?.has_time ?? trade.has_time)
      ? `${format.clock(trade.executed_at)} `
      : '';
  const heading = `## ${time}${trade.symbol} ${trade.side} <!-- t:${trade.id} -->`;

  return [
    heading,
    ...fields.map(([name, value]) => `${name}:: ${value ?? ''}`.trimEnd()),
    '',
    '',
  ].join('\n');
}
