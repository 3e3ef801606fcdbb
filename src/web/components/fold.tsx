/** A part of the overview that folds. What the user opened or closed stays so, in later periods and visits. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useSession } from '../session.ts';

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

export function Fold({ title, about, isOpen: atFirst = false, isForPaper = true, children }: FoldProps) {
  const { isReport } = useSession();
  const [isOpen, setOpen] = useState(() => isReport || (kept()[title] ?? atFirst));
  if (isReport) return <div class="details">{children()}</div>;
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
      <summary>
        <h2>{title}</h2>
        <span class="fine">{about}</span>
      </summary>
      {isOpen && <div class="details">{children()}</div>}
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
