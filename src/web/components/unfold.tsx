/** The button that unfolds the legs of a group below its row. */

interface UnfoldProps {
  /** Of the group. */
  name: string;
  isOpen: boolean;
  onToggle: () => void;
}

export function Unfold({ name, isOpen, onToggle }: UnfoldProps) {
  return (
    <button
      type="button"
      class="quiet unfold no-print"
      aria-expanded={isOpen}
      onClick={onToggle}
    >
      <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>
      <span class="unseen">Legs of {name}</span>
    </button>
  );
}
