import type { ComponentChildren } from 'preact';

/** What may be wider or higher than its room; it can be scrolled by keyboard. */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, who has no pointer can't scroll
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
