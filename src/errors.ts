/** What people are told when something is wrong: errors whose message is meant for them, and "did you mean". */
import leven from 'leven';

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

/** The candidate closest to what was typed, where it is close enough to be what was meant. */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  const lower = typed.toLowerCase();
  const ranked = candidates
    .map((name) => ({ name, distance: leven(lower, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.max(2, Math.ceil(best.name.length / 2)) ? best.name : undefined;
}
