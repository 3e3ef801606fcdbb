/** Frames of the overview's parts: a card, a choice of cards, a part that folds. */
import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { useOtherUnit, useSession } from '../session.ts';

interface CardProps {
  title: string;
  /** To the right of the title. */
  aside?: ComponentChildren;
  class?: string;
  /** While more of it is loading. */
  isBusy?: boolean;
  children: ComponentChildren;
}

export function Card({ title, aside, class: more = '', isBusy, children }: CardProps) {
  const other = useOtherUnit();
  return (
    <section class={`card box ${more}`} aria-busy={isBusy}>
      <header class="card-head row">
        <h2>
          {title}
          {other && <span class="card-unit muted">, by {other}</span>}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

interface OneByOneProps<T> {
  names: readonly T[];
  titleOf: (name: T) => string;
  /** Of the buttons. */
  class?: string;
  /** Draws one of them, with the buttons that choose another. */
  children: (name: T, buttons: ComponentChildren) => ComponentChildren;
}

/** One card at a time; in a report each. */
export function OneByOne<T extends string>({
  names,
  titleOf,
  class: more = '',
  children,
}: OneByOneProps<T>) {
  const [chosen, choose] = useState<T>();
  if (useSession().isReport)
    return names.map((name) => <Fragment key={name}>{children(name, null)}</Fragment>);

  const shown = chosen ?? (names[0] as T);
  const buttons = names.length > 1 && (
    <fieldset class={`segments row small no-print ${more}`}>
      <legend class="unseen">Count by</legend>
      {names.map((name) => (
        <button
          type="button"
          key={name}
          aria-pressed={name === shown}
          onClick={() => choose(name)}
        >
          {titleOf(name)}
        </button>
      ))}
    </fieldset>
  );
  return <>{children(shown, buttons)}</>;
}

/** In the browser's local storage: names of parts, nothing of the journal. */
const KEPT = 'journal-api folds';

interface FoldProps {
  title: string;
  /** Its contents in a few words. */
  about: string;
  /** Whether it is open at first. */
  isOpen?: boolean;
  /** Whether it prints, while it is open. */
  isForPaper?: boolean;
  /** Rendered, and requested, only while it is open. */
  children: () => ComponentChildren;
}

/**
 * A part of the overview that folds. What the user opened or closed stays so, in later
 * periods and visits.
 */
export function Fold({
  title,
  about,
  isOpen: atFirst = false,
  isForPaper = true,
  children,
}: FoldProps) {
  const { isReport } = useSession();
  const [isOpen, setOpen] = useState(() => isReport || (kept()[title] ?? atFirst));
  if (isReport) return <div class="details stack">{children()}</div>;

  const set = (next: boolean) => {
    if (next === isOpen) return;
    setOpen(next);
    try {
      localStorage.setItem(KEPT, JSON.stringify({ ...kept(), [title]: next }));
    } catch {
      // The browser may refuse to store anything: then it stays so in this view only.
    }
  };

  return (
    <details
      class={isForPaper ? 'fold' : 'fold no-print'}
      open={isOpen}
      onToggle={({ currentTarget }) => set(currentTarget.open)}
    >
      <summary class="row no-print">
        <h2>{title}</h2>
        <span class="fine">{about}</span>
      </summary>
      {isOpen && <div class="details stack">{children()}</div>}
    </details>
  );
}

function kept(): Record<string, boolean> {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? '{}');
  } catch {
    return {};
  }
}
