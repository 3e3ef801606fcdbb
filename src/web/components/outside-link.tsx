import type { ComponentChildren } from 'preact';

/** A link out of a journal: http and https only, without a referrer. */
export function OutsideLink({ href, children }: { href: string; children: ComponentChildren }) {
  if (!/^https?:\/\//i.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
