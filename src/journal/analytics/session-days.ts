/** How the trader was on a day, by its sessions. */
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { dateOfDay } from '../../time.ts';
import { AnswerTooLarge, ifSmall, isSmall } from '../answer-size.ts';
import type { User } from '../journal.ts';
import { storedNumber, storedText } from '../stored-value.ts';
import type { SessionFacts } from './trade-rows.ts';

/** What a mood may take. */
const MAX_OCTETS = '16000';

/** A value of the first session of the day that has it; sessions without a start come last. */
const first = (value: string, has: string) =>
  `(SELECT ${value} FROM sessions WHERE user_id = d.user_id AND date = d.date AND ${has} ORDER BY started_at IS NULL, started_at, id LIMIT 1)`;

const PLAN = "json_type(review, '$.followed_plan')";

const FACTS = `SELECT ${[
  `${first('mood', `mood IS NOT NULL AND ${isSmall('octet_length(mood)', MAX_OCTETS)}`)} AS mood`,
  `${first('energy', 'energy IS NOT NULL')} AS energy`,
  `${first('sleep_hours', 'sleep_hours IS NOT NULL')} AS sleep_hours`,
  `${first(PLAN, `${PLAN} IN ('true', 'false')`)} AS followed_plan`,
].join(', ')} FROM (SELECT ${TEXT} AS user_id, ${TEXT} AS date) AS d`;

export class SessionDays {
  readonly #reader: Reader;
  readonly #user: User;
  readonly #days = new Map<number, SessionFacts>();

  constructor(reader: Reader, user: User) {
    this.#reader = reader;
    this.#user = user;
  }

  /** @throws AnswerTooLarge for a mood that is too long to count by */
  of(day: number): SessionFacts {
    let facts = this.#days.get(day);
    if (!facts) {
      facts = this.#read(dateOfDay(day));
      this.#days.set(day, facts);
    }
    return facts;
  }

  #read(date: string): SessionFacts {
    const row = ifSmall(() => this.#reader.get(FACTS, this.#user.id, date));
    if (!row) {
      throw new AnswerTooLarge(
        `the mood of a session of ${date} takes more than ${Number(MAX_OCTETS) / 1000} KB, too much to count by; shorten it`,
      );
    }
    const { mood, energy, sleep_hours, followed_plan } = row;
    return {
      mood: mood === null ? null : storedText(mood),
      energy: energy === null ? null : storedNumber(energy),
      sleepHours: sleep_hours === null ? null : storedNumber(sleep_hours),
      followedPlan: followed_plan === null ? null : followed_plan === 'true',
    };
  }
}
