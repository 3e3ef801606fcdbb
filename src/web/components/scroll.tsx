import type { ComponentChildren } from 'preact';

/** Content that may exceed its box, scrollable by keyboard. */
export function Scroll({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, keyboard users can't scroll
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
