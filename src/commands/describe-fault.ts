/** Log text of an unexpected error. */
import { rootCause } from '../sqlite/errors.ts';

/**
 * Leaves out the message because it may quote a record, line breaks included. SQLite's own messages never do.
 * @returns lines: the error's name with SQLite's message, if any, then the stack
 */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { name, message, stack = '' } = error;
  const cause = rootCause(error);
  const at = stack.indexOf(message);
  // "TypeError [ERR_CODE]: message", then the frames; with any other prefix the end of the message is unknown.
  const frames = /^\w+( \[\w+\])?: $/.test(stack.slice(0, at)) ? stack.slice(at + message.length).split('\n') : [];
  return [cause === undefined ? name : `${name} ${cause}`, ...frames.filter((line) => /^\s+at /.test(line))].join('\n');
}
