/** Something the person at the command line can put right. The message is all they get to see: say what and how. */
export class UserError extends Error {
  override name = 'UserError';
}

/** The command line itself was wrong: exit code 2. */
export class UsageError extends UserError {
  override name = 'UsageError';
}

/** What a caught value says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
