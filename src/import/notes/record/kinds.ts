/** The kinds of notes: their names and the fields of their text. */
import type { ListResource } from '../../../journal/resource.ts';
import { RESOURCES } from '../../../journal/resources/index.ts';

export interface NoteKind {
  resource: ListResource;
  /** Values of the property `type` besides the resource's path. */
  names: readonly string[];
  /** The field for the text below the properties. */
  body: string;
}

const KINDS: Record<string, Omit<NoteKind, 'resource'>> = {
  'trade-groups': { names: ['trade-group', 'group'], body: 'notes' },
  trades: { names: ['trade'], body: 'notes' },
  'trade-journals': { names: ['trade-journal', 'journal', 'journal-entry', 'entry'], body: 'body' },
  'group-journals': { names: ['group-journal'], body: 'body' },
  sessions: { names: ['session', 'trading-session', 'trading-day'], body: 'notes' },
  'weekly-reviews': { names: ['weekly-review', 'review', 'weekly'], body: 'summary' },
  'missed-trades': { names: ['missed-trade', 'missed'], body: 'notes' },
};

const NOTE_KINDS: readonly NoteKind[] = RESOURCES.flatMap((resource) => {
  const kind = KINDS[resource.path];
  return kind ? [{ resource, ...kind }] : [];
});

export function kindOf(resource: ListResource): NoteKind | undefined {
  return NOTE_KINDS.find((kind) => kind.resource === resource);
}

/** The kind of a name: the value of `type`, or a folder's name. */
export function kindNamed(word: string): NoteKind | undefined {
  const name = plainName(word);
  return NOTE_KINDS.find(({ resource, names }) => resource.path === name || names.includes(name));
}

/** "Weekly Reviews" becomes weekly-reviews. */
export function plainName(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-');
}
