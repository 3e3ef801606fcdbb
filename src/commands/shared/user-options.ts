/** Options of init, user add and user set. */
import { type Command, Option } from 'commander';
import { UsageError } from '../../errors.ts';
import type { UserChanges } from '../../journal-write/users.ts';

export interface UserOptions {
  name?: string;
  timezone?: string;
  baseCurrency?: string;
  startingBalance?: string;
  breakevenTolerance?: string;
}

export function addUserOptions(command: Command): Command {
  return command
    .addOption(new Option('--name <name>', 'display name; "" for none'))
    .addOption(
      new Option(
        '--timezone <zone>',
        "IANA time zone that defines the user's days, such as America/New_York (default: UTC)",
      ),
    )
    .addOption(new Option('--base-currency <code>', 'currency of all figures, such as EUR (default: USD)'))
    .addOption(
      new Option('--starting-balance <amount>', 'balance before the first trade; "none" to remove it (default: none)'),
    )
    .addOption(
      new Option(
        '--breakeven-tolerance <amount>',
        'largest net P&L, won or lost, that counts as breakeven (default: 0)',
      ),
    );
}

/** @throws UsageError if an amount isn't a number */
export function userChangesOf(options: UserOptions): UserChanges {
  const changes: UserChanges = {};
  if (options.name !== undefined) changes.name = options.name === '' ? null : options.name;
  if (options.timezone !== undefined) changes.timezone = options.timezone;
  if (options.baseCurrency !== undefined) changes.base_currency = options.baseCurrency;
  if (options.startingBalance !== undefined) {
    const none = options.startingBalance === 'none' || options.startingBalance === '';
    changes.starting_balance = none ? null : amount('--starting-balance', options.startingBalance);
  }
  if (options.breakevenTolerance !== undefined) {
    changes.breakeven_tolerance = amount('--breakeven-tolerance', options.breakevenTolerance);
  }
  return changes;
}

function amount(option: string, text: string): number {
  if (!/^-?(\d+(\.\d*)?|\.\d+)$/.test(text))
    throw new UsageError(`${option} takes a number, such as 10000; got "${text}"`);
  return Number(text);
}
