/** What a key hides, on its way in and out: parameters that would show it are refused, fields that show it are taken out. */
import { hiddenAs, projectionOf } from '../journal/hidden-fields.ts';
import type { Hidden, Lens } from '../keys/lens.ts';
import { EXAMPLE_SYMBOL, isSymbolPseudonym } from '../keys/pseudonyms.ts';
import type { Query } from './parameter.ts';
import { invalidParameter } from './problem.ts';
import type { Endpoint, KeyRoute } from './route.ts';

/** @throws Problem (400) for sorting, filtering or searching by what the key hides, or asking for it */
export function requireShown({ parameters }: KeyRoute, query: Query, lens: Lens | null): void {
  if (!lens || lens.hides.length === 0) return;
  const hidesSymbols = lens.hides.includes('symbols');
  for (const [name, value] of Object.entries(query)) {
    const parameter = parameters.find((candidate) => candidate.name === name);
    const reveals = parameter?.reveals?.(value) ?? [];
    const hidden = reveals.map((one) => hiddenAs(one, lens.hides)).find((one) => one !== undefined);
    if (hidden) throw invalidParameter(name, `${name} goes by ${hidden}, which this key hides; leave it out`);
    // The same for every other word, so that nothing can be learned by guessing.
    if (hidesSymbols && parameter?.symbolsIn?.(value).some((symbol) => !isSymbolPseudonym(symbol)))
      throw invalidParameter(name, `${name} takes symbols as this key shows them, such as ${EXAMPLE_SYMBOL}`);
  }
}

/** An answer with the fields that the key shows, and no others. */
export function withoutHidden(answer: object, gives: Endpoint['gives'], hides: readonly Hidden[]): object {
  if (hides.length === 0) return answer;
  const { data, ...rest } = answer as { data: unknown };
  if ('list' in gives) {
    const project = projectionOf(gives.list.record, hides) as (record: unknown) => unknown;
    return { data: (data as unknown[]).map((record) => project(record)), ...rest };
  }
  const project = projectionOf(gives.data, hides) as (value: unknown) => unknown;
  return { data: project(data), ...rest };
}
