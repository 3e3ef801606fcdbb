/** What each kind of note is called, where its text goes, and what stands for its times where they have other names. */
import type { ListResource } from '../../journal/resource.ts';
import { RESOURCES } from '../../journal/resources/index.ts';

export interface NoteKind {
  resource: ListResource;
  /** What the property `type` may call it, beside the path of the resource. */
  names: readonly string[];
  /** The field that the text below the properties is. */
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

/** The kind that a word means: the value of `type`, or the name of a folder. */
export function kindNamed(word: string): NoteKind | undefined {
  const name = plainName(word);
  return NOTE_KINDS.find(({ resource, names }) => resource.path === name || names.includes(name));
}

/** "Weekly Reviews" is weekly-reviews. */
export function plainName(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-');
}
