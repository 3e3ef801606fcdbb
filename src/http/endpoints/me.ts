/** /v1/me: the context of the current key. */
import * as z from 'zod';
import { unitFor } from '../../journal/analytics/positions.ts';
import * as f from '../../journal/fields.ts';
import type { User } from '../../journal/journal.ts';
import { once } from '../../journal/once.ts';
import { labelShown } from '../../journal/pseudonyms.ts';
import { type ListResource, UNITS } from '../../journal/resource.ts';
import { RESOURCES } from '../../journal/resources/index.ts';
import { storedInstant } from '../../journal/stored-value.ts';
import { HIDDEN, lensInWords } from '../../keys/lens.ts';
import { ALL_SCOPES, type Scope } from '../../keys/scopes.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { toInstantText, ZoneClock } from '../../time.ts';
import { NO_PARAMETERS } from '../parameter.ts';
import { type Endpoint, isReachable, type RouteContext } from '../route.ts';

const extent = once(() =>
  f.orNull(
    f.object(
      {
        first: f.date('First day with a record'),
        last: f.date('Last day with a record'),
      },
      'First and last date; null for an empty list',
    ),
  ),
);

export const meRecord = f.record(() => ({
  key: z
    .strictObject({
      id: f.id('Identifier of the key'),
      name: f.label('Its purpose'),
      scopes: z
        .array(z.enum(ALL_SCOPES as [string, ...string[]]))
        .meta({ description: 'Its scopes' }),
      created_at: f.instant('Time of creation'),
      expires_at: f.instant('Time of expiry'),
      last_used_at: f.orNull(
        f.instant('Last use before this request; null for the first'),
      ),
      shows: z
        .strictObject({
          accounts: f.orNull(f.strings('Only trades of these accounts; null for all')),
          since: f.orNull(f.date('Nothing before this day; null for everything')),
          hides: z.array(z.enum(HIDDEN)).meta({
            description: 'Kinds of data that it hides: their fields are absent',
          }),
          in_words: f.label('The same as a sentence'),
        })
        .meta({ description: 'Records that it shows, within its scopes' }),
    })
    .meta({ description: 'The key, without its text' }),
  user: z
    .strictObject({
      id: f.id('Identifier of the user'),
      name: f.orNull(f.text('Name')),
      timezone: f.ours("IANA time zone that defines the user's days"),
      base_currency: f.currency('Currency of all figures'),
      starting_balance: f.orNull(
        f.money('Balance before the first trade, in the base currency'),
      ),
      breakeven_tolerance: f.money(
        'Largest net P&L, won or lost, that counts as breakeven; in the base currency',
      ),
    })
    .meta({ description: 'Owner of the journal' }),
  unit: f.choice(
    UNITS,
    'What the owner calls a trade: position if trades are legs of groups, else trade. The unit that the page, the tools and the commands count by',
  ),
  endpoints: f.strings('Endpoints that this key can read', 'nothing'),
  rate_limit: z
    .strictObject({
      requests_per_minute: f.orNull(
        f.count('Requests per minute for this key; null for no limit'),
      ),
      remaining: f.orNull(f.count('Requests left now; null for no limit')),
    })
    .meta({ description: 'Rate limit of the key' }),
  extent: z
    .strictObject(
      Object.fromEntries(RESOURCES.map(({ path }) => [path, extent().optional()])),
    )
    .meta({ description: 'First and last day of each list that the key can read' }),
}));

export const me: Endpoint = {
  operationId: 'getMe',
  tag: 'key',
  summary: 'The current key',
  description:
    'The key, its user, the endpoints it can reach, and the first and last date of each list.',
  parameters: () => NO_PARAMETERS,
  isLong: () => false,
  gives: { data: meRecord, name: 'Me' },
  handle: (context) => ({ data: meOf(context) }),
};

/** Other keys learn nothing of trades. */
const OF_TRADES: readonly Scope[] = [
  'trades:read',
  'analytics:read',
  'agent_summary:read',
];

function meOf({
  routes,
  reader,
  user,
  key,
  lastUsed,
  limits,
}: RouteContext): z.infer<typeof meRecord> {
  const unlimited = limits.perMinute === 0;
  const resources = RESOURCES.filter((resource) => key.scopes.includes(resource.scope));
  // The owner's text may contain a symbol, too.
  const hidesSymbols = key.lens?.hides.includes('symbols') === true;
  const labelOf = (text: string) => (hidesSymbols ? labelShown(reader, text) : text);
  const accounts = key.lens?.accounts?.map(labelOf) ?? null;

  return {
    key: {
      id: key.id,
      name: labelOf(key.name),
      scopes: key.scopes,
      created_at: key.created_at,
      expires_at: key.expires_at,
      last_used_at: lastUsed === null ? null : toInstantText(lastUsed),
      shows: {
        accounts,
        since: key.lens?.since ?? null,
        hides: [...(key.lens?.hides ?? [])],
        in_words: lensInWords(key.lens && { ...key.lens, accounts }),
      },
    },
    user,
    unit: key.scopes.some((scope) => OF_TRADES.includes(scope))
      ? unitFor(reader, user)
      : 'trade',
    endpoints: routes
      .filter((route) => isReachable(route, key.scopes))
      .map((route) => route.path),
    rate_limit: {
      requests_per_minute: unlimited ? null : limits.perMinute,
      remaining: unlimited ? null : limits.remaining,
    },
    extent: Object.fromEntries(
      resources.map((resource) => [resource.path, extentOf(reader, user, resource)]),
    ),
  };
}

/** The first and last day of a list, in the user's time zone; null if it is empty. */
function extentOf(
  reader: Reader,
  user: User,
  resource: ListResource,
): { first: string; last: string } | null {
  const end = (direction: 'ASC' | 'DESC') =>
    reader.get<{ at: string }>(
      `SELECT ${resource.orderBy} AS at FROM ${resource.source} ` +
        `WHERE user_id = ${TEXT} ORDER BY ${resource.orderBy} ${direction} LIMIT 1`,
      user.id,
    )?.at;

  const first = end('ASC');
  const last = end('DESC');
  if (first === undefined || last === undefined) return null;
  if (resource.orderKind === 'date') return { first, last };

  const clock = new ZoneClock(user.timezone);
  return {
    first: clock.dateOf(storedInstant(first)),
    last: clock.dateOf(storedInstant(last)),
  };
}
