/**
 * A group of trades as one position: figures, curve of realised P&L, legs, fills, what
 * was written.
 */
import { Card } from '../components/card.tsx';
import { Copyable } from '../components/copyable.tsx';
import { Awaited } from '../components/problem.tsx';
import {
  type Column,
  type Fact,
  FactList,
  Scroll,
  Table,
  useNetColumn,
} from '../components/table.tsx';
import { type Formats, instrumentName, word } from '../format.ts';
import { EquityCurve, type Exit, stepsOfExits } from '../pictures/equity-curve.tsx';
import { useResults } from '../results.ts';
import { hrefOf } from '../router.ts';
import { useResponse, useSession } from '../session.ts';
import type { Page, Position, TradeDetail } from '../types.ts';
import { useDetails } from './day-notes.tsx';
import { EntryList } from './journal-items.tsx';
import { Labels, Text } from './journal-parts.tsx';
import { nameOfGroup } from './position-rows.ts';
import { Fills, Result, SessionOfDay } from './trade.tsx';

export function OneGroup({ id }: { id: string }) {
  const response = useResponse<Page<Position>>('positions', { id });
  const position = response.body?.data.find(({ kind }) => kind !== 'trade');

  return (
    <div class="view stack">
      <nav class="back row" aria-label="Trades">
        <a href={hrefOf('trades')}>All trades</a>
      </nav>
      {position && <Detail position={position} />}
      {!position && response.body && (
        <p class="nothing">No group of trades has this id.</p>
      )}
      {!position && !response.body && <Awaited failure={response.failure} />}
    </div>
  );
}

/** Legs whose fills and entries are shown: more belong to programs. */
const MOST_LEGS = 20;

function Detail({ position }: { position: Position }) {
  const { format, me } = useSession();
  const { isInR } = useResults();
  const { trades: legs } = useDetails(
    position.legs.slice(0, MOST_LEGS).map(({ id }) => id),
  );
  const [first] = legs;
  const exits = exitsOf(legs, format);
  const hasCurve =
    !isInR && position.currency === me.user.base_currency && exits.length > 0;

  return (
    <>
      <Head position={position} />
      <div class="grid stack">
        <Card title="Figures">
          <Facts position={position} />
        </Card>
        <Card title="Notes">
          <Labels
            setup={position.setup}
            tags={position.tags}
            mistakes={position.mistakes}
          />
          {first?.group?.notes ? (
            <Text text={first.group.notes} />
          ) : (
            <p class="nothing">No notes on this group.</p>
          )}
        </Card>
        {hasCurve && (
          <Card title="Realised P&L" class="wide">
            <EquityCurve steps={stepsOfExits(exits, format)} by="exit" />
          </Card>
        )}
        <Legs legs={legs} />
        {legs.map((leg) => (
          <Fills
            key={leg.id}
            trade={leg}
            title={`Fills of ${instrumentName(leg, format)}`}
          />
        ))}
      </div>
      <Entries legs={legs} />
      <SessionOfDay at={position.opened_at} />
      <WriteDown position={position} />
    </>
  );
}

function Head({ position }: { position: Position }) {
  const { format } = useSession();
  const { isInR } = useResults();
  const { side, quantity, kind, account } = position;
  const sized = quantity !== null && !isInR ? ` ${format.price(quantity)}` : '';

  return (
    <div class="trade-head">
      <div>
        <h1>{nameOfGroup(position)}</h1>
        <p class="muted">
          {position.description && `${position.description} · `}
          {side && `${word(side)}${sized} · `}
          {word(kind)}
          {account && (
            <>
              {' · account '}
              <bdi>{account}</bdi>
            </>
          )}{' '}
          · {format.instant(position.opened_at)}
        </p>
      </div>
      <Result of={position} />
    </div>
  );
}

function Facts({ position }: { position: Position }) {
  const { format } = useSession();
  const { opened_at, closed_at, expiration, currency } = position;
  const money = (value: number | null) => format.money(value, currency);
  const facts: readonly Fact[] = [
    ['Opened', format.instant(opened_at)],
    ['Closed', closed_at === null ? 'still open' : format.instant(closed_at)],
    ['Held', format.duration(position.holding_seconds)],
    ['Strategy', position.strategy],
    ['Expiration', expiration && format.day(expiration.slice(0, 10))],
    ['Contracts', format.price(position.contracts)],
    ['Gross P&L', money(position.gross_pnl)],
    ['Fees', money(position.fees)],
    ['Risk', money(position.risk)],
    ['Rating', position.rating === null ? null : `${position.rating} of 5`],
  ];

  return <FactList facts={facts} />;
}

/** What each exit of the legs realised, in the order of time. */
function exitsOf(legs: readonly TradeDetail[], format: Formats): Exit[] {
  const all = legs.flatMap((leg) =>
    leg.executions.flatMap(({ executed_at, has_time, realised_pnl }): Exit[] =>
      typeof realised_pnl === 'number'
        ? [
            {
              at: executed_at,
              hasTime: has_time,
              name: instrumentName(leg, format),
              realised: realised_pnl,
            },
          ]
        : [],
    ),
  );
  return all.sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at)));
}

function Legs({ legs }: { legs: readonly TradeDetail[] }) {
  const { format } = useSession();
  const { isInR } = useResults();
  const money: Column<TradeDetail>[] = isInR
    ? []
    : [
        {
          name: 'Quantity',
          class: 'number',
          write: ({ quantity }) => format.price(quantity),
        },
        {
          name: 'Entry',
          class: 'number optional',
          write: ({ entry_price }) => format.price(entry_price),
        },
        {
          name: 'Exit',
          class: 'number optional',
          write: ({ exit_price }) => format.price(exit_price),
        },
      ];
  const columns: Column<TradeDetail>[] = [
    {
      name: 'Leg',
      isHeading: true,
      write: (leg) => (
        <a href={hrefOf('trades', {}, leg.id)}>{instrumentName(leg, format)}</a>
      ),
    },
    { name: 'Side', write: ({ side }) => side },
    ...money,
    ...useNetColumn(),
  ];

  return (
    <Card title="Legs" class="wide">
      <Scroll label="Legs">
        <Table caption="Legs of the group" columns={columns} rows={legs} />
      </Scroll>
    </Card>
  );
}

/** Entries about the group, then those about its legs. */
function Entries({ legs }: { legs: readonly TradeDetail[] }) {
  const [first] = legs;
  if (!first) return null;

  const entries = [
    ...(first.group_journals ?? []),
    ...legs.flatMap((leg) => leg.journals ?? []),
  ];
  return (
    <EntryList
      entries={first.journals === null ? null : entries}
      about="this group or its legs"
    />
  );
}

/** The group's section of a day note to copy, and the command that edits the note. */
function WriteDown({ position }: { position: Position }) {
  const { format } = useSession();
  const { id, opened_at, underlying, strategy } = position;
  const name =
    strategy === null ? nameOfGroup(position) : `${underlying ?? ''} ${strategy}`.trim();
  const section = [
    `## ${format.clock(opened_at)} ${name} <!-- g:${id} -->`,
    'setup::',
    'tags::',
    'rules::',
    'mistakes::',
    'followed_plan::',
    '',
    '',
  ];

  return (
    <Card title="Write about this position" class="wide no-print">
      <p>
        Copy this into a note named after the day, fill it in and import the note. Empty
        fields change nothing:
      </p>
      <Copyable isCode text={section.join('\n')} />
      <p>Or edit the note of the whole day, with a section per position:</p>
      <Copyable isCode text={`journal-api day ${format.dayOf(opened_at)} --edit`} />
    </Card>
  );
}
