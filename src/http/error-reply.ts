/** Errors as clients see them. Internal details stay here. */
import { ResponseTooLarge } from '../journal/response-size.ts';
import { FileUnavailable, ReadAbandoned, TooManyReads } from '../sqlite/errors.ts';
import { Problem } from './problem.ts';
import { rateLimited } from './rate-limit.ts';
import { problemBody, type Reply } from './response-body.ts';

/** Status in the log of a request whose client left before its response. */
const ABANDONED = 499;

/** Estimated seconds until one of the key's long reads is done. */
const LONG_READ_S = 2;

export function errorReply(error: unknown, requestId: string): Reply {
  if (error instanceof ReadAbandoned) return { status: ABANDONED, body: null };
  const problem = problemOf(error, requestId);
  return { status: problem.status, body: problemBody(problem.toBody(requestId)), headers: problem.headers };
}

function problemOf(error: unknown, requestId: string): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof FileUnavailable) {
    return new Problem('journal_unavailable', `${error.message}; the service recovers by itself when this is fixed`, {
      headers: { 'Retry-After': '1' },
    });
  }
  if (error instanceof ResponseTooLarge) return new Problem('answer_too_large', error.message);
  if (error instanceof TooManyReads) {
    return rateLimited(LONG_READ_S, 'too many long requests queued for this key');
  }
  return new Problem('internal_error', `internal error; the server log has the details under request id ${requestId}`);
}
