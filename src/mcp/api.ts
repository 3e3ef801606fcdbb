/** The API as tools ask it: the body of an answer, or an error that tells the agent what to do next. */
import type { Answer, Ask } from '../http/client.ts';
import type { Scope } from '../keys/scopes.ts';
import type { Row } from './compact.ts';
import { visibleText } from './visible-text.ts';

/** What /v1/me says, as far as it is needed here. */
export interface Me {
  key: { scopes: Scope[]; expires_at: string; shows?: { in_words: string; hides: readonly string[] } };
  user: { timezone: string; base_currency: string };
  extent: Record<string, { first: string; last: string } | null>;
}

/** Why a tool can't answer; its message is for the agent. */
export class ToolError extends Error {
  override name = 'ToolError';
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

const NO_KEY =
  'there is no key; the owner makes one with "journal-api key create" and gives it to this server in JOURNAL_API_KEY or --key-file';

export class Api {
  readonly #ask: Ask;
  #me: Me | undefined;
  readonly now: () => number;

  /** @param now epoch milliseconds */
  constructor(ask: Ask, now: () => number) {
    this.#ask = ask;
    this.now = now;
  }

  /**
   * The body of an answer.
   * @throws ToolError where there is none
   */
  async get(path: string, query: Query = {}): Promise<Record<string, unknown>> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
    const address = search.size === 0 ? path : `${path}?${search}`;
    const answer = await this.#ask(address).catch((error: Error) => {
      throw new ToolError(error.message);
    });
    if (answer.status === 200) return answer.body as Record<string, unknown>;
    throw new ToolError(problemOf(answer));
  }

  /** The data of an answer that is no list, with its hint if there is one. */
  async data(path: string, query: Query = {}): Promise<Row> {
    const { data, hint } = (await this.get(path, query)) as { data: Row; hint?: string };
    return hint === undefined ? data : { hint, ...data };
  }

  /** The data, or undefined if the key can't have it. */
  async dataIfAny(path: string, query: Query = {}): Promise<Row | undefined> {
    return this.data(path, query).catch((error: unknown) => {
      if (error instanceof ToolError) return undefined;
      throw error;
    });
  }

  /** Whether the key hides amounts. */
  async hidesMoney(): Promise<boolean> {
    return (await this.me()).key.shows?.hides.includes('money') === true;
  }

  /** The key, its user and what there is; asked for once. */
  async me(): Promise<Me> {
    this.#me ??= (await this.data('/v1/me')) as unknown as Me;
    return this.#me;
  }
}

function problemOf({ status, body }: Answer): string {
  const { code, detail } = (body ?? {}) as { code?: string; detail?: string };
  if (code === undefined || detail === undefined) return `${status}: this is not a response of journal-api`;
  // A detail may quote a label of the journal.
  return `${code}: ${code === 'missing_key' ? NO_KEY : visibleText(detail)}`;
}
