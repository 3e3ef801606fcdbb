import type { ComponentChildren } from 'preact';

/** A link out of a journal: only to the web, and the other side learns nothing of where it was. */
export function OutsideLink({ href, children }: { href: string; children: ComponentChildren }) {
  if (!/^https?:\/\//i.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
