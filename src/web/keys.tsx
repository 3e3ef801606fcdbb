/**
 * Shortcuts of a single key, which can be switched off, and the dialog that lists them.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { carried } from './filters.ts';
import { go, hrefOf, listen, type Place } from './router.ts';

const SHORTCUTS: Readonly<Record<string, string>> = {
  '/': 'Search',
  'j  k': 'Next and previous trade, entry or part',
  '[  ]': 'Previous and next period, or trade',
  Esc: 'Close what is open',
  '?': 'These shortcuts',
};

/** In the browser's local storage: off, if they are. */
const KEPT = 'journal-api keys';

/** At the end of each view. */
export function Shortcuts({ place }: { place: Place }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOn, setOn] = useState(areOn);
  const show = () => dialog.current?.showModal();

  useEffect(() => {
    const actions: Readonly<Record<string, () => void>> = {
      '/': () => search(place),
      j: () => move(1),
      k: () => move(-1),
      '[': () => follow('prev'),
      ']': () => follow('next'),
      '?': show,
    };

    return listen({
      keydown: (event) => {
        if (!isOn || !(event instanceof KeyboardEvent) || isForOthers(event)) return;
        const action = actions[event.key];
        if (!action) return;
        event.preventDefault();
        action();
      },
    });
  }, [isOn, place]);

  const set = (next: boolean) => {
    setOn(next);
    try {
      localStorage.setItem(KEPT, next ? 'on' : 'off');
    } catch {
      // The browser may refuse to store anything: then it holds for this view only.
    }
  };

  return (
    <footer class="page-foot no-print">
      <button type="button" class="quiet fine" onClick={show}>
        Keyboard shortcuts
      </button>
      <dialog ref={dialog} class="box" aria-labelledby="shortcuts">
        <h2 id="shortcuts">Keyboard shortcuts</h2>
        <dl class="facts stack">
          {Object.entries(SHORTCUTS).map(([keys, about]) => (
            <div key={keys}>
              <dt>{about}</dt>
              <dd>
                <kbd>{keys}</kbd>
              </dd>
            </div>
          ))}
        </dl>
        <p>
          <label>
            <input
              type="checkbox"
              checked={isOn}
              onChange={(event) => set(event.currentTarget.checked)}
            />{' '}
            Shortcuts of a single key
          </label>
        </p>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </dialog>
    </footer>
  );
}

function areOn(): boolean {
  try {
    return localStorage.getItem(KEPT) !== 'off';
  } catch {
    return true;
  }
}

/** Whether a field takes the key, a dialog is open, or it belongs to the browser. */
function isForOthers(event: KeyboardEvent): boolean {
  // Some keyboards have brackets with AltGr, which reports Ctrl and Alt.
  const isCommand =
    (event.ctrlKey || event.metaKey || event.altKey) &&
    !event.getModifierState('AltGraph');
  const target = event.target instanceof Element ? event.target : null;
  const isTyping = target?.matches('input, select, textarea') === true;
  return isCommand || isTyping || document.querySelector('dialog[open]') !== null;
}

/** Set while the view with the field for a search is awaited. */
let isSearching = false;

function search({ query }: Place): void {
  isSearching = true;
  if (document.querySelector('[type="search"]')) focusArrived();
  else go(hrefOf('trades', carried(query)));
}

/** Focuses what a new view begins with. */
export function focusArrived(): void {
  const field = document.querySelector<HTMLElement>('[type="search"]');
  const target = (isSearching ? field : null) ?? document.getElementById('main');
  target?.focus({ preventScroll: !isSearching });
  isSearching = false;
}

function follow(rel: 'prev' | 'next'): void {
  document.querySelector<HTMLElement>(`#main [rel="${rel}"]`)?.click();
}

const STOPS = '.trades tbody th a, .feed .item, .fold > summary';

function move(step: 1 | -1): void {
  const stops = [...document.querySelectorAll<HTMLElement>(STOPS)];
  const at = stops.findIndex((stop) => stop.contains(document.activeElement));
  const inView = stops.findIndex((stop) => stop.getBoundingClientRect().top >= 0);
  const next = stops[at === -1 ? inView : at + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Closes what is open on Escape. */
export function useEscape(isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return;
    return listen({
      keydown: (event) => {
        if (event instanceof KeyboardEvent && event.key === 'Escape') close();
      },
    });
  });
}
