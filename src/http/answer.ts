/**
 * The response to a question about the journal, from one snapshot: read by the main
 * thread or another.
 */
import { lastDays } from '../journal/analytics/period.ts';
import { expiresAt, lastExpired } from '../journal/derivatives.ts';
import { projectionOf } from '../journal/hidden-fields.ts';
import { findUser, type User } from '../journal/journal.ts';
import {
  MAX_RESPONSE_BYTES,
  type ResponseTooLarge,
  responseTooLarge,
} from '../journal/response-size.ts';
import type { FoundKey } from '../keys/key-reader.ts';
import type { Hidden } from '../keys/lens.ts';
import { FileUnavailable } from '../sqlite/errors.ts';
import type { Reader } from '../sqlite/reader.ts';
import { addDays, isTimeZone, ZoneClock } from '../time.ts';
import { invalidKey } from './authenticate.ts';
import { jsonBody, ResponseBody } from './reply.ts';
import { ALWAYS, type Validity } from './response-cache.ts';
import type { Endpoint, KeyRoute, Route, RouteContext } from './route.ts';
import { PictureBytes, SENT_TYPES, Table } from './table.ts';

/**
 * A request under /v1, authorised and valid: all that its response depends on besides the
 * journal.
 */
export interface Question
  extends Pick<
    RouteContext,
    'lastUsed' | 'query' | 'after' | 'form' | 'limits' | 'pathId' | 'now'
  > {
  key: FoundKey;
  /** Query of the URL, without the ?. */
  search: string;
}

/** A response, and the period in which it is valid while the journal is unchanged. */
export interface Answer {
  body: ResponseBody;
  validity: Validity;
  /**
   * The symbols of the key's part of the journal, from a thread that has looked for them.
   */
  symbols?: ReadonlySet<string> | undefined;
}

/** What answers questions. */
interface Answering extends Pick<RouteContext, 'signCursor' | 'isShort' | 'pictures'> {
  routes: readonly Route[];
}

/** @throws TakesLong if the response has to be short but takes long */
export function answer(
  reader: Reader,
  route: KeyRoute,
  question: Question,
  answering: Answering,
): Answer {
  const { key, query, pathId, search, now } = question;
  const user = requireUser(reader, key);
  reader.overlay?.find?.(reader, [pathId, ...Object.values(query)], answering.isShort);

  const clock = new ZoneClock(user.timezone);
  let end = Number.POSITIVE_INFINITY;

  const validUntil = (time: number) => {
    end = Math.min(end, time);
  };

  const whole = route.handle({
    ...question,
    ...answering,
    reader,
    user,
    clock,
    validUntil,
  });
  const body = bodyOf(whole, route, key, search);
  if (body.bytes.length > MAX_RESPONSE_BYTES) throw tooLarge(body);

  body.records = recordsIn(whole, route);

  if (route.cached !== 'today') return { body, validity: ALWAYS };

  const { from, to } = validAt(clock, now);
  return { body, validity: { from, to: Math.min(to, end) } };
}

function bodyOf(
  whole: object,
  { gives }: KeyRoute,
  { lens }: FoundKey,
  search: string,
): ResponseBody {
  if (whole instanceof Table) return tableBody(whole, search);
  if (whole instanceof PictureBytes)
    return new ResponseBody(whole.bytes, whole.type, true);
  return jsonBody(lens ? withoutHidden(whole, gives, lens.hides) : whole);
}

/**
 * The link to the next page repeats all parameters; without a path, because a proxy may
 * have shortened it.
 */
function tableBody({ form, text, next }: Table, search: string): ResponseBody {
  const query = new URLSearchParams(search);
  if (next !== null) query.set('cursor', next);

  return new ResponseBody(
    text,
    SENT_TYPES[form],
    true,
    next === null ? null : `<?${query}>; rel="next"`,
  );
}

/** Figures have no records. */
function recordsIn(whole: object, { gives, path }: KeyRoute): number {
  if ('list' in gives)
    return whole instanceof Table
      ? whole.records
      : (whole as { data: unknown[] }).data.length;
  return path.includes('{id}') ? 1 : 0;
}

/** The day of an instant, up to or from the moment at which options expire. */
function validAt(clock: ZoneClock, at: number): Validity {
  const [day, last] = [lastDays(clock, 1, at), lastExpired(at)];
  return {
    from: Math.max(day.from, expiresAt(last)),
    to: Math.min(day.to, expiresAt(addDays(last, 1))),
  };
}

function tooLarge({ bytes }: ResponseBody): ResponseTooLarge {
  return responseTooLarge(
    'the response',
    bytes.length,
    'request a shorter period or add filters',
  );
}

/**
 * @throws Problem or FileUnavailable if the key's user is not in the journal, or has an
 * invalid time zone
 */
export function requireUser(reader: Reader, key: FoundKey): User {
  const user = findUser(reader, key.user_id);
  if (!user) throw invalidKey('the user of this key is not in the journal');
  if (!isTimeZone(user.timezone)) {
    throw new FileUnavailable(
      'the time zone of this user is not a valid IANA time zone; set one with "journal-api user set"',
    );
  }

  return user;
}

/** A response with only the fields that the key shows. */
function withoutHidden(
  result: object,
  gives: Endpoint['gives'],
  hides: readonly Hidden[],
): object {
  if (hides.length === 0) return result;

  const { data, ...rest } = result as { data: unknown };
  if ('list' in gives) {
    const project = projectionOf(gives.list.record, hides) as (
      record: unknown,
    ) => unknown;
    return { data: (data as unknown[]).map((record) => project(record)), ...rest };
  }

  const project = projectionOf(gives.data, hides) as (value: unknown) => unknown;
  return { data: project(data), ...rest };
}
