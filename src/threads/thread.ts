/** The side of a thread: answers one question after another. */
import { parentPort, workerData } from 'node:worker_threads';

/** What a thread is started with. */
export interface ThreadData<Settings> {
  settings: Settings;
  /** 1 once the result of the current read is no longer wanted. */
  abandoned: Int32Array;
}

/** From the pool to a thread: a question, or the request to close what it has open. */
export type ToThread<Question> = { question: Question } | { rest: true };

/** From a thread to the pool. */
export type FromThread<Answer> =
  | { answer: Answer }
  | { fault: unknown }
  | { rests: true };

interface Answering<Question, Answer> {
  /** @param isWanted false once the client has left */
  answer: (question: Question, isWanted: () => boolean) => Answer;
  /** Parts of an answer that are moved instead of copied. */
  moved: (answer: Answer) => ArrayBuffer[];
  /** Closes what it has open, until the next question. */
  rest: () => void;
}

/** @param make called once with the settings of the pool */
export function answerQuestions<Settings, Question, Answer>(
  make: (settings: Settings) => Answering<Question, Answer>,
): void {
  const { settings, abandoned } = workerData.thread as ThreadData<Settings>;
  const answering = make(settings);
  const isWanted = () => Atomics.load(abandoned, 0) === 0;
  const send = (message: FromThread<Answer>, moved: ArrayBuffer[] = []) =>
    parentPort?.postMessage(message, moved);

  parentPort?.on('message', (message: ToThread<Question>) => {
    if ('rest' in message) {
      answering.rest();
      return send({ rests: true });
    }
    try {
      const answer = answering.answer(message.question, isWanted);
      send({ answer }, answering.moved(answer));
    } catch (fault) {
      send({ fault });
    }
  });
}
