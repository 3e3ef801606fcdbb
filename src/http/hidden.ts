/** Applies a key's lens: refuses parameters that would reveal hidden fields, and removes these fields from responses. */
import { hiddenAs, projectionOf } from '../journal/hidden-fields.ts';
import { EXAMPLE_SYMBOL, type Hidden, isSymbolPseudonym, type Lens } from '../keys/lens.ts';
import type { Query } from './parameter.ts';
import { invalidParameter } from './problem.ts';
import type { Endpoint, KeyRoute } from './route.ts';

/** @throws Problem (400) for sorting, filtering or searching by a hidden field, or requesting one */
export function requireShown({ parameters }: KeyRoute, query: Query, lens: Lens | null): void {
  if (!lens || lens.hides.length === 0) return;
  const hidesSymbols = lens.hides.includes('symbols');
  for (const [name, value] of Object.entries(query)) {
    const parameter = parameters().find((candidate) => candidate.name === name);
    const reveals = parameter?.reveals?.(value) ?? [];
    const hidden = reveals.map((one) => hiddenAs(one, lens.hides)).find((one) => one !== undefined);
    if (hidden) throw invalidParameter(name, `${name} uses ${hidden}, which this key hides; remove ${name}`);
    // The same for any other word, so that guessing reveals nothing.
    if (hidesSymbols && parameter?.symbolsIn?.(value).some((symbol) => !isSymbolPseudonym(symbol)))
      throw invalidParameter(name, `${name} takes symbols as this key shows them, such as ${EXAMPLE_SYMBOL}`);
  }
}

/** A response with only the fields that the key shows. */
export function withoutHidden(result: object, gives: Endpoint['gives'], hides: readonly Hidden[]): object {
  if (hides.length === 0) return result;
  const { data, ...rest } = result as { data: unknown };
  if ('list' in gives) {
    const project = projectionOf(gives.list.record, hides) as (record: unknown) => unknown;
    return { data: (data as unknown[]).map((record) => project(record)), ...rest };
  }
  const project = projectionOf(gives.data, hides) as (value: unknown) => unknown;
  return { data: project(data), ...rest };
}
