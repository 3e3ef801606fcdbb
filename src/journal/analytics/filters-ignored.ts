/** Filters that don't apply to a section of the response. */
import * as f from '../fields.ts';

export const filtersIgnored = () =>
  f
    .strings("Filters of the request that don't apply here, because these records lack the field; absent if none")
    .optional();

export function ignoring(names: readonly string[]): { filters_ignored?: string[] } {
  return names.length === 0 ? {} : { filters_ignored: [...names] };
}
