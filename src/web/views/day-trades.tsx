/** The trades closed on a day. */
import { Loading, Problem } from '../components/problem.tsx';
import { Scroll } from '../components/scroll.tsx';
import { INSTRUMENT_FIELDS, instrumentName, toneOf } from '../format.ts';
import { hrefOf } from '../router.ts';
import { useResponse, useSession } from '../session.ts';
import type { Page, Trade } from '../types.ts';

const FIELDS = [...INSTRUMENT_FIELDS, 'side', 'setup', 'closed_at', 'currency', 'net_pnl', 'r_multiple'] as const;

/** The table of trades shows the others. */
const MOST = 100;

type DayTrade = Pick<Trade, 'id' | (typeof FIELDS)[number]>;

export function DayTrades({ date, onClose }: { date: string; onClose: () => void }) {
  const { format } = useSession();
  const day = { date_field: 'closed_at', start: date, end: date };
  const response = useResponse<Page<DayTrade>>('trades', {
    ...day,
    ...{ sort: 'closed_at', order: 'asc', limit: MOST, fields: FIELDS.join(',') },
  });
  return (
    <section class="day-trades" aria-label={`Trades of ${format.longDay(date)}`}>
      <header>
        <h3>{format.longDay(date)}</h3>
        <button type="button" class="quiet" onClick={onClose}>
          Close
        </button>
      </header>
      {response.failure && <Problem failure={response.failure} />}
      {!response.body && !response.failure && <Loading />}
      {response.body?.data.length === 0 && <p class="nothing">No trade was closed on this day.</p>}
      {response.body && response.body.data.length > 0 && (
        <Scroll label={`Trades closed on ${format.longDay(date)}`}>
          <table class="plain">
            <caption class="unseen">Trades closed on {format.longDay(date)}</caption>
            <thead>
              <tr>
                <th scope="col">Closed</th>
                <th scope="col">Symbol</th>
                <th scope="col">Side</th>
                <th scope="col">Setup</th>
                <th scope="col" class="number">
                  R
                </th>
                <th scope="col" class="number">
                  Net P&amp;L
                </th>
              </tr>
            </thead>
            <tbody>
              {response.body.data.map((trade) => (
                <tr key={trade.id}>
                  <td>{format.shortTime(trade.closed_at)}</td>
                  <th scope="row">
                    <a href={hrefOf('trades', {}, trade.id)}>{instrumentName(trade, format)}</a>
                  </th>
                  <td>{trade.side}</td>
                  <td>{trade.setup ?? ''}</td>
                  <td class="number">{format.r(trade.r_multiple)}</td>
                  <td class={`number ${toneOf(trade.net_pnl)}`}>{format.gain(trade.net_pnl, trade.currency)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      <a class="more" href={hrefOf('trades', day)}>
        {response.body?.pagination.has_more ? `The first ${MOST} trades. Show all` : 'Show in the table of trades'}
      </a>
      <WriteSession date={date} />
    </section>
  );
}

/** How to write about the day: in full if nothing is written yet. */
function WriteSession({ date }: { date: string }) {
  const mayRead = useSession().me.key.scopes.includes('sessions:read');
  const { body } = useResponse<Page<unknown>>(mayRead ? 'sessions' : null, { start: date, end: date, fields: 'id' });
  return (
    <p class="fine">
      {body?.data.length === 0 && (
        <>No session yet. A note named {date}.md with one line, such as “Mood: calm”, is enough. </>
      )}
      To write about this day: <code>journal-api day {date} --edit</code>
    </p>
  );
}
