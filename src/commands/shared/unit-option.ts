/** The option --unit of commands that count trades. */
import { Option } from 'commander';
import type { Ask } from '../../http/client.ts';
import { UNITS, type Unit } from '../../journal/resource.ts';
import type { Me } from '../../web/types.ts';
import { answered } from './local-app.ts';

export function unitOption(): Option {
  return new Option(
    '--unit <unit>',
    'count positions, a spread as one, or each leg as a trade (default: position if there are legs)',
  ).choices(UNITS);
}

/** Said once by what counts positions without being asked to. */
export const LEGS_AS_ONE = 'Legs of a spread count as one; --unit trade for legs.';

/**
 * The unit asked for, else the journal's own: a service of an earlier version has none.
 */
export async function unitFor(ask: Ask, asked: Unit | undefined): Promise<Unit> {
  if (asked !== undefined) return asked;
  const { body } = await answered(ask, '/v1/me');
  return (body as { data: Partial<Me> }).data.unit ?? 'trade';
}
