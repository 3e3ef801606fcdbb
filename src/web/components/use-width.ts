import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** The current width of an element in CSS pixels; 0 before the first layout. */
export function useWidth<T extends HTMLElement>(): [RefObject<T | null>, number] {
  const element = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observed = element.current as T;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(observed);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
