/** What the log says of an error that nobody expected. */
import { rootCause } from '../sqlite/errors.ts';

/**
 * Where it went wrong, without the message, since that may quote a record, line breaks and all. SQLite's own words never do.
 * @returns lines: the error's name and SQLite's words, if any, then the stack
 */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { name, message, stack = '' } = error;
  const cause = rootCause(error);
  const at = stack.indexOf(message);
  // "TypeError [ERR_CODE]: message", then the frames; where anything else is in front, where the message ends can't be told.
  const frames = /^\w+( \[\w+\])?: $/.test(stack.slice(0, at)) ? stack.slice(at + message.length).split('\n') : [];
  return [cause === undefined ? name : `${name} ${cause}`, ...frames.filter((line) => /^\s+at /.test(line))].join('\n');
}
