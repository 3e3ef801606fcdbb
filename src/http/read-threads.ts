/**
 * Reads of the journal on other threads: a question goes there, and the finished bytes of
 * its response come back.
 */
import type { KeyObject } from 'node:crypto';
import { threadScript } from '../embedded.ts';
import type { KnownSymbols } from '../journal/pseudonyms.ts';
import { ResponseTooLarge } from '../journal/response-size.ts';
import { FileUnavailable, ReadAbandoned, rootCause } from '../sqlite/errors.ts';
import type { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import { type Limits, OutOfMemory, ThreadPool } from '../threads/pool.ts';
import type { ReadClient } from '../threads/turns.ts';
import type { Answer, Question } from './answer.ts';
import { Problem, type ProblemCode } from './problem.ts';
import { type MediaType, ResponseBody } from './reply.ts';
import type { Validity } from './response-cache.ts';

/** What a thread of this pool is started with. */
export interface ThreadSettings {
  /** Path of the journal. */
  journal: string;
}

/** A question, as a thread needs it. */
export interface SentQuestion extends Question {
  /** Path of the route. */
  path: string;
  /** The key that cursors are signed with. */
  cursorKey: KeyObject;
  /** Version of the journal. */
  version: number;
  /** Whether the client accepts a compressed response. */
  isCompressed: boolean;
}

/** An answer, as a thread sends it. */
export type SentAnswer =
  | SentBody
  | {
      problem: {
        code: ProblemCode;
        detail: string;
        param?: string;
        headers: Record<string, string>;
      };
    }
  | { tooLarge: string }
  | { unavailable: string; cause: string | undefined }
  | { abandoned: true };

interface SentBody {
  bytes: Uint8Array;
  gzip: Uint8Array | undefined;
  type: MediaType;
  tag: string | null;
  link: string | null;
  records: number;
  validity: Validity;
  symbols: ReadonlySet<string> | undefined;
}

/**
 * More would take the main thread more than some milliseconds: then all requests of the
 * key are left to threads.
 */
const MOST_SYMBOLS = 1000;

/**
 * The body is compressed by the thread if that takes long: the main thread has others to
 * serve.
 */
export function sentBody(
  { body, validity }: Answer,
  isCompressed: boolean,
  known: KnownSymbols | undefined,
): SentBody {
  const { bytes, type, tag, link, records } = body;
  const gzip = isCompressed && body.compressesLong ? body.gzip : undefined;
  const symbols = known && known.symbols.size <= MOST_SYMBOLS ? known.symbols : undefined;
  return { bytes, gzip, type, tag, link, records, validity, symbols };
}

/** @throws the error itself if it is a fault of the program */
export function sentError(error: unknown): SentAnswer {
  if (error instanceof Problem) {
    const { code, message, param, headers } = error;
    return {
      problem: {
        code,
        detail: message,
        headers,
        ...(param === undefined ? {} : { param }),
      },
    };
  }
  if (error instanceof ResponseTooLarge) return { tooLarge: error.message };
  if (error instanceof FileUnavailable)
    return { unavailable: error.message, cause: rootCause(error) };
  if (error instanceof ReadAbandoned) return { abandoned: true };

  throw error;
}

/**
 * Parts of a large body, which are moved to the main thread; others are copied with their
 * message.
 */
export function movedParts(answer: SentAnswer): ArrayBuffer[] {
  if (!('bytes' in answer)) return [];
  const parts = answer.gzip ? [answer.bytes, answer.gzip] : [answer.bytes];
  return parts
    .filter((part) => part.byteLength === part.buffer.byteLength)
    .map((part) => part.buffer as ArrayBuffer);
}

/** @throws the error that the thread had */
function received(answer: SentAnswer): Answer {
  if ('bytes' in answer) {
    const { bytes, gzip, type, tag, link, records, validity, symbols } = answer;
    const body = new ResponseBody(
      bufferOf(bytes),
      type,
      tag,
      link,
      gzip && bufferOf(gzip),
    );
    body.records = records;
    return { body, validity, symbols };
  }
  if ('problem' in answer)
    throw new Problem(answer.problem.code, answer.problem.detail, answer.problem);
  if ('tooLarge' in answer) throw new ResponseTooLarge(answer.tooLarge);
  if ('unavailable' in answer)
    throw new FileUnavailable(answer.unavailable, { cause: answer.cause });

  throw new ReadAbandoned();
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

export class ReadThreads {
  readonly #pool: ThreadPool<ThreadSettings, SentQuestion, SentAnswer>;

  /**
   * @param most maximum of threads
   * @param limits of each thread, if not the usual ones
   */
  constructor(journal: ReadOnlyFile, most: number, limits: Partial<Limits> = {}) {
    this.#pool = new ThreadPool({
      most,
      script: threadScript,
      settings: { journal: journal.path },
      limits,
    });
    journal.isOpenElsewhere = () => {
      this.#pool.rest();
      return this.#pool.holdsFile;
    };
  }

  /** Starts the first thread, once: a service that has answered has time for it. */
  start(): void {
    this.#pool.start();
  }

  /**
   * @param ask the question, when a thread is free for it; undefined if its answer is
   * known by then
   * @returns undefined if there was no question
   * @throws what ask throws; Problem, ResponseTooLarge, FileUnavailable, ReadAbandoned or
   * TooManyReads
   */
  async read(
    client: ReadClient,
    ask: () => SentQuestion | undefined,
  ): Promise<Answer | undefined> {
    try {
      const answer = await this.#pool.read(client, ask);
      return answer && received(answer);
    } catch (error) {
      if (error instanceof OutOfMemory)
        throw new ResponseTooLarge(
          `${error.message}; request a shorter period, fewer sections, or add filters`,
        );
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
