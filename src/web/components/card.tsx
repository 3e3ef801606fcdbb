import type { ComponentChildren } from 'preact';

interface CardProps {
  title: string;
  /** To the right of the title. */
  aside?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

export function Card({ title, aside, class: more = '', children }: CardProps) {
  return (
    <section class={`card ${more}`}>
      <header class="card-head">
        <h2>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
