import type { ComponentChildren } from 'preact';
import { useUnit } from '../session.ts';

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
        <h2>
          {title}
          {useUnit() === 'position' && <span class="card-unit">, by position</span>}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
