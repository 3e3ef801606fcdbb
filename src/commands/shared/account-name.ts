/** The name of an account that a command is given. */
import { quote, UsageError } from '../../errors.ts';

/**
 * Reads the value of `--account`.
 * @returns the name without spaces around it
 * @throws UsageError if it is empty or holds a control character
 */
export function accountName(typed: string): string {
  const name = typed.trim();
  if (name === '') throw new UsageError('--account takes a name');
  if (/\p{Cc}/u.test(name)) {
    throw new UsageError(
      `--account takes a name without line breaks and other control characters; got ${quote(typed)}`,
    );
  }
  return name;
}
