import type { ComponentChildren } from 'preact';
import { useSession } from '../session.ts';

/** A link out of a journal: http and https only, in a report https, without a referrer. */
export function OutsideLink({ href, children }: { href: string; children: ComponentChildren }) {
  const { isReport } = useSession();
  if (!(isReport ? /^https:\/\//i : /^https?:\/\//i).test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
