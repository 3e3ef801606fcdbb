/**
 * What a key can read. A key has at least one scope; no scope is a wildcard or writes.
 */
export const SCOPES = {
  'trades:read': 'trades, single trades with their executions, and trade groups',
  'journals:read': 'trade and group journal entries',
  'sessions:read': 'trading sessions',
  'reviews:read': 'weekly reviews',
  'missed_trades:read': 'missed trades',
  'analytics:read': 'the full performance analytics',
  'agent_summary:read':
    'the compact summary for agents: figures, top symbols, recent notes',
} as const;

export type Scope = keyof typeof SCOPES;

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

export function isScope(value: string): value is Scope {
  return Object.hasOwn(SCOPES, value);
}

/** What a route needs of a key: a scope, or only that it is valid. */
export type NeededScope = Scope | 'any key';

export function isGranted(needed: NeededScope, scopes: readonly Scope[]): boolean {
  return needed === 'any key' || scopes.includes(needed);
}
