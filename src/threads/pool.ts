/**
 * Threads for reads that take long, so that all others are answered meanwhile. A thread
 * starts when a read needs it; all but one end after a minute without work, and that one
 * starts again, because a heap that has grown stays large.
 */

import { Worker, type WorkerOptions } from 'node:worker_threads';
import type { ThreadScript } from '../embedded.ts';
import { codeOf } from '../errors.ts';
import { ReadAbandoned } from '../sqlite/errors.ts';
import type { FromThread, ThreadData, ToThread } from './thread.ts';
import { type ReadClient, Turns } from './turns.ts';

/**
 * Memory of a thread's heap, in MB: the figures of 100,000 trades with as many tags fit.
 */
const MEMORY_MB = 384;

/**
 * The same for new objects: more would make it faster by little, and leave more garbage.
 */
const YOUNG_MB = 16;

/** Milliseconds without work after which a thread ends. */
const IDLE_MS = 60_000;

/** Interval of checks whether clients still wait. */
const LOOK_MS = 25;

/**
 * Milliseconds after which a read that goes on without a client is ended with its thread.
 */
const ENDS_WITHIN_MS = 75;

/** A read needed more memory than its thread may have. */
export class OutOfMemory extends Error {
  constructor(mostMb: number) {
    super(
      `this request needs more than the ${mostMb} MB of memory that one request may have`,
    );
  }
}

interface Read<Question, Answer> {
  client: ReadClient;
  ask: () => Question | undefined;
  resolve: (answer: Answer | undefined) => void;
  reject: (error: unknown) => void;
}

export interface PoolSettings<Settings> {
  /** Maximum of threads. */
  most: number;
  /** It calls answerQuestions(). */
  script: () => ThreadScript;
  /** For each thread. */
  settings: Settings;
  limits?: Partial<Limits>;
}

/** Limits of a thread. */
export interface Limits {
  /** Milliseconds without work after which it ends. */
  idleMs: number;
  /** Maximum of its memory. */
  memoryMb: number;
}

export class ThreadPool<Settings, Question, Answer> {
  readonly #pool: PoolSettings<Settings>;
  readonly #threads: Thread<Question, Answer>[] = [];
  readonly #turns = new Turns<Read<Question, Answer>>();
  #looking: NodeJS.Timeout | undefined;
  #hasStarted = false;
  #isClosed = false;

  constructor(settings: PoolSettings<Settings>) {
    this.#pool = settings;
  }

  /** Whether a thread may have the file open that it reads. */
  get holdsFile(): boolean {
    return this.#threads.some((thread) => thread.holdsFile);
  }

  /** Starts the first thread, once. */
  start(): void {
    if (!this.#hasStarted && this.#threads.length === 0 && !this.#isClosed) this.#add();
    this.#hasStarted = true;
  }

  /**
   * Waits for a thread, then asks it.
   * @param ask called when a thread is free; undefined if there is nothing to ask any
   * more
   * @throws what ask throws; what the thread throws; ReadAbandoned, TooManyReads or
   * OutOfMemory
   */
  read(client: ReadClient, ask: () => Question | undefined): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      this.#turns.add({ client, ask, resolve, reject });
      this.#looking ??= setInterval(() => this.#look(), LOOK_MS).unref();
      this.#assign();
    });
  }

  /** Lets each idle thread close the file. */
  rest(): void {
    for (const thread of this.#threads) thread.rest();
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#looking);
    this.#turns.dropAll(new ReadAbandoned());
    await Promise.all(this.#threads.splice(0).map((thread) => thread.end()));
  }

  /** Gives waiting reads to free threads. */
  #assign(): void {
    while (!this.#turns.isEmpty && !this.#isClosed) {
      const thread = this.#free();
      if (!thread) return;

      const read = this.#turns.next() as Read<Question, Answer>;
      try {
        const question = read.ask();
        if (question === undefined) read.resolve(undefined);
        else thread.ask(read, question);
      } catch (error) {
        read.reject(error);
      }
    }
  }

  /** An idle thread, a new one if there may be more, or undefined. */
  #free(): Thread<Question, Answer> | undefined {
    const idle = this.#threads.find((thread) => thread.isIdle);
    return idle ?? (this.#threads.length < this.#pool.most ? this.#add() : undefined);
  }

  #add(): Thread<Question, Answer> {
    const { script, settings, limits } = this.#pool;
    const told = {
      isFree: () => this.#isFree(),
      hasEnded: () => this.#remove(thread),
      hasRested: () => this.#endIdle(thread),
    };
    const thread = new Thread<Question, Answer>(script(), settings, told, {
      idleMs: IDLE_MS,
      memoryMb: MEMORY_MB,
      ...limits,
    });
    this.#threads.push(thread);

    return thread;
  }

  #isFree(): void {
    this.#assign();
    if (!this.#turns.isEmpty || this.#threads.some(({ isIdle }) => !isIdle)) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
    this.#turns.reset();
  }

  #remove(thread: Thread<Question, Answer>): void {
    const at = this.#threads.indexOf(thread);
    if (at !== -1) this.#threads.splice(at, 1);
    this.#isFree();
  }

  #endIdle(thread: Thread<Question, Answer>): void {
    void thread.end();
    this.#remove(thread);
    if (this.#threads.length === 0 && !this.#isClosed) this.#add();
  }

  #look(): void {
    this.#turns.dropAbandoned();
    for (const thread of this.#threads) thread.look();
  }
}

interface Told {
  isFree: () => void;
  hasEnded: () => void;
  /** It had nothing to do for some time. */
  hasRested: () => void;
}

class Thread<Question, Answer> {
  readonly #worker: Worker;
  readonly #abandoned = new Int32Array(new SharedArrayBuffer(4));
  readonly #told: Told;
  readonly #limits: Limits;
  #read: Read<Question, Answer> | undefined;
  /** Since when the client of the read has left, as performance.now(). */
  #leftAt: number | undefined;
  #idle: NodeJS.Timeout | undefined;
  #hasEnded = false;
  holdsFile = false;
  #isResting = false;

  constructor(
    { script, data }: ThreadScript,
    settings: unknown,
    told: Told,
    limits: Limits,
  ) {
    this.#told = told;
    this.#limits = limits;
    const thread: ThreadData<unknown> = { settings, abandoned: this.#abandoned };
    const options: WorkerOptions = {
      workerData: { ...data, thread },
      resourceLimits: {
        maxOldGenerationSizeMb: limits.memoryMb,
        maxYoungGenerationSizeMb: YOUNG_MB,
      },
    };
    this.#worker = new Worker(script, { ...options, eval: typeof script === 'string' });
    this.#worker.unref();
    this.#worker.on('message', (message: FromThread<Answer>) => this.#receive(message));
    this.#worker.on('error', (error) => {
      // It exits soon, and takes no question until then.
      this.#hasEnded = true;
      this.#fail(error);
    });
    this.#worker.on('exit', () => {
      this.#hasEnded = true;
      clearTimeout(this.#idle);
      this.#fail(new Error('a thread ended during a read'));
      this.#told.hasEnded();
    });
  }

  get isIdle(): boolean {
    return this.#read === undefined && !this.#hasEnded;
  }

  ask(read: Read<Question, Answer>, question: Question): void {
    clearTimeout(this.#idle);
    this.#read = read;
    this.#leftAt = undefined;
    this.holdsFile = true;
    this.#isResting = false;
    Atomics.store(this.#abandoned, 0, 0);
    this.#post({ question });
  }

  rest(): void {
    if (!this.holdsFile || this.#isResting || !this.isIdle) return;
    this.#isResting = true;
    this.#post({ rest: true });
  }

  /** Ends the read if its client has left. */
  look(): void {
    if (!this.#read || this.#hasEnded) return;
    const now = performance.now();
    if (this.#leftAt === undefined) {
      if (this.#read.client.isWanted()) return;
      Atomics.store(this.#abandoned, 0, 1);
      this.#leftAt = now;
    } else if (now - this.#leftAt > ENDS_WITHIN_MS) void this.end();
  }

  async end(): Promise<void> {
    clearTimeout(this.#idle);
    this.#hasEnded = true;
    this.#leftAt ??= performance.now();
    await this.#worker.terminate();
  }

  #post(message: ToThread<Question>): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromThread<Answer>): void {
    if ('rests' in message) {
      // Not if it was asked again meanwhile.
      if (this.#isResting) this.holdsFile = false;
      this.#isResting = false;
      return;
    }

    const read = this.#read;
    this.#read = undefined;
    if ('answer' in message) read?.resolve(message.answer);
    else read?.reject(this.#leftAt === undefined ? message.fault : new ReadAbandoned());
    this.#idle = setTimeout(() => this.#told.hasRested(), this.#limits.idleMs).unref();
    this.#told.isFree();
  }

  #fail(error: unknown): void {
    const read = this.#read;
    this.#read = undefined;
    if (this.#leftAt !== undefined) return read?.reject(new ReadAbandoned());
    const isMemory = codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';
    read?.reject(isMemory ? new OutOfMemory(this.#limits.memoryMb) : error);
  }
}
