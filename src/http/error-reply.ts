/** What an error is told as. What is internal stays here. */
import { AnswerTooLarge } from '../journal/answer-size.ts';
import { FileUnavailable, ReadAbandoned, TooManyReads } from '../sqlite/errors.ts';
import { Problem } from './problem.ts';
import { rateLimited } from './rate-limit.ts';
import { problemBody, type Reply } from './response-body.ts';

/** What the log says of a request whose client went away before its answer. */
const ABANDONED = 499;

/** How soon one of the key's long reads will have been answered, about. */
const LONG_READ_S = 2;

export function errorReply(error: unknown, requestId: string): Reply {
  if (error instanceof ReadAbandoned) return { status: ABANDONED, body: null };
  const problem = problemOf(error, requestId);
  return { status: problem.status, body: problemBody(problem.toBody(requestId)), headers: problem.headers };
}

function problemOf(error: unknown, requestId: string): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof FileUnavailable) {
    return new Problem('journal_unavailable', `${error.message}; the service recovers by itself once that is fixed`, {
      headers: { 'Retry-After': '1' },
    });
  }
  if (error instanceof AnswerTooLarge) return new Problem('answer_too_large', error.message);
  if (error instanceof TooManyReads) {
    return rateLimited(LONG_READ_S, 'too many requests of this key that take long wait for their turn');
  }
  return new Problem(
    'internal_error',
    `something went wrong in the server; its log has the details under request id ${requestId}`,
  );
}
