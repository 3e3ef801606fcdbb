/** What an error is told as. What is internal stays here. */
import { FileUnavailable, ReadAbandoned } from '../sqlite/errors.ts';
import { Problem } from './problem.ts';
import type { Reply } from './reply.ts';
import { problemBody } from './response-body.ts';

/** What the log says of a request whose client went away before its answer. */
const ABANDONED = 499;

/** @param onFault called with what is a fault of ours, which the client isn't told */
export function errorReply(error: unknown, requestId: string, onFault: (error: unknown) => void): Reply {
  if (error instanceof ReadAbandoned) return { status: ABANDONED, body: null };
  const problem = problemOf(error, requestId);
  if (problem.code === 'internal_error') onFault(error);
  return { status: problem.status, body: problemBody(problem.toBody(requestId)), headers: problem.headers };
}

function problemOf(error: unknown, requestId: string): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof FileUnavailable) {
    return new Problem('journal_unavailable', `${error.message}; once that is put right this answers again by itself`, {
      headers: { 'Retry-After': '1' },
    });
  }
  return new Problem(
    'internal_error',
    `this is a fault of the server; its log names it by the request id ${requestId}`,
  );
}
