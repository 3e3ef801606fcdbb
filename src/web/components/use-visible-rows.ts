/** The visible rows of a long table, so that only those are rendered. All rows have the same height. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Rows rendered beyond both edges, so that fast scrolling shows no gap. */
const BEYOND = 12;

export interface VisibleRows {
  body: RefObject<HTMLTableSectionElement | null>;
  first: number;
  /** After the last. */
  end: number;
}

export function useVisibleRows(count: number, rowHeight: number): VisibleRows {
  const body = useRef<HTMLTableSectionElement>(null);
  const [shown, setShown] = useState({ first: 0, end: 60 });
  useEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      const top = -(body.current?.getBoundingClientRect().top ?? 0);
      const first = Math.max(0, Math.floor(top / rowHeight) - BEYOND);
      const end = Math.ceil((top + innerHeight) / rowHeight) + BEYOND;
      setShown((before) => (before.first === first && before.end === end ? before : { first, end }));
    };
    const later = () => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    addEventListener('scroll', later, { passive: true });
    addEventListener('resize', later);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', later);
      removeEventListener('resize', later);
    };
  }, [rowHeight]);
  return { body, first: Math.min(shown.first, Math.max(0, count - 1)), end: Math.min(Math.max(shown.end, 0), count) };
}
