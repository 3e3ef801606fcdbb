/** What a part of the answer says of filters that don't reach it. */
import * as f from '../fields.ts';

export const filtersIgnored = () =>
  f
    .strings('Filters of the request that these have no field for, and that change nothing here; only if there are any')
    .optional();

export function ignoring(names: readonly string[]): { filters_ignored?: string[] } {
  return names.length === 0 ? {} : { filters_ignored: [...names] };
}
