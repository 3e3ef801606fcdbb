/**
 * The API for tools: the body of a response, or an error that names the agent's next
 * step.
 */
import { type ApiResponse, type Ask, problemIn } from '../http/client.ts';
import { visibleText } from '../http/visible-text.ts';
import type { Unit } from '../journal/resource.ts';
import type { Scope } from '../keys/scopes.ts';
import type { Row } from './compact.ts';

/** The part of /v1/me that tools need. */
export interface Me {
  key: {
    scopes: Scope[];
    expires_at: string;
    shows?: { in_words: string; hides: readonly string[] };
  };
  user: { timezone: string; base_currency: string };
  /** What the owner calls a trade. */
  unit: Unit;
  extent: Record<string, { first: string; last: string } | null>;
}

/** Labels by kind, most used first; null for a kind that the key can't read. */
export type LabelsInUse = Readonly<
  Record<string, { value: string; count: number }[] | null>
>;

/** The failure of a tool; its message is for the agent. */
export class ToolError extends Error {
  override name = 'ToolError';
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

const NO_KEY =
  'no key; the owner creates one with "journal-api key create" and passes it to this server in JOURNAL_API_KEY or --key-file';

export class Api {
  readonly #ask: Ask;
  #me: Me | undefined;
  #labels: Promise<LabelsInUse | undefined> | undefined;
  readonly now: () => number;

  /** @param now epoch milliseconds */
  constructor(ask: Ask, now: () => number) {
    this.#ask = ask;
    this.now = now;
  }

  /**
   * The body of a successful response.
   * @throws ToolError for any other response, or none
   */
  async get<T = Record<string, unknown>>(path: string, query: Query = {}): Promise<T> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value));
    const address = search.size === 0 ? path : `${path}?${search}`;
    const response = await this.#ask(address).catch((error: Error) => {
      throw new ToolError(error.message);
    });
    if (response.status === 200) return response.body as T;

    throw new ToolError(problemOf(response));
  }

  /** The data of a response that isn't a list, with its hint, if any. */
  async data<T extends object = Row>(path: string, query: Query = {}): Promise<T> {
    const { data, hint } = await this.get<{ data: T; hint?: string }>(path, query);
    return hint === undefined ? data : { hint, ...data };
  }

  /** The data, or undefined if the key can't read it. */
  async dataIfAny<T extends object = Row>(
    path: string,
    query: Query = {},
  ): Promise<T | undefined> {
    return this.data<T>(path, query).catch((error: unknown) => {
      if (error instanceof ToolError) return undefined;
      throw error;
    });
  }

  /** The bytes of a kept picture; undefined if the key can't read it, or it is gone. */
  async picture(path: string): Promise<Buffer | undefined> {
    const { status, bytes } = await this.#ask(path, 'image/*').catch((error: Error) => {
      throw new ToolError(error.message);
    });
    return status === 200 ? bytes : undefined;
  }

  /** The labels in use; undefined if the key can't read them. Requested once. */
  async labels(): Promise<LabelsInUse | undefined> {
    this.#labels ??= this.dataIfAny<LabelsInUse>('/v1/labels');
    return this.#labels;
  }

  /** Whether the key hides amounts. */
  async hidesMoney(): Promise<boolean> {
    return (await this.me()).key.shows?.hides.includes('money') === true;
  }

  /** The key, its user and the extent of the journal; requested once. */
  async me(): Promise<Me> {
    this.#me ??= await this.data<Me>('/v1/me');
    return this.#me;
  }
}

function problemOf(response: ApiResponse): string {
  const { status } = response;
  const { code, detail } = problemIn(response);
  if (code === undefined || detail === undefined)
    return `${status}: this is not a response of journal-api`;
  // A detail may quote a label of the journal.
  return `${code}: ${code === 'missing_key' ? NO_KEY : visibleText(detail).replace(PATH, toolOf)}`;
}

const PATH = /\/v1\/([a-z-]+)(?:\/[\w{}-]+)?(?:\?([\w=:.~-]*\w))?/g;

const TOOLS: Readonly<Record<string, string>> = {
  trades: 'find_trades',
  'trade-groups': 'get_trade',
  summary: 'journal_summary',
  me: 'journal_summary',
  analytics: 'analyze_performance',
  labels: 'analyze_performance',
};

/** The tool that requests a path of the API. */
function toolOf(_path: string, resource: string, query?: string): string {
  const tool = TOOLS[resource] ?? 'read_notes';
  return query === undefined ? tool : `${tool} with ${query}`;
}
