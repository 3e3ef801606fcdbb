/**
 * The frame of the dashboard: the form for a key, key, navigation and the current view.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Api, type Failure, keyFor } from './api.ts';
import { Command, Loading, Problem } from './components/problem.tsx';
import { carried } from './filters.ts';
import { formatsOf } from './format.ts';
import {
  forgetKey,
  keepForTab,
  keepOnDevice,
  keptOnDevice,
  mayKeepOnDevice,
  storedKey,
  takeKey,
  takeTicket,
} from './kept-key.ts';
import { focusArrived, Shortcuts } from './keys.tsx';
import {
  hrefOf,
  listen,
  type Place,
  usePlace,
  VIEWS,
  type View,
  viewsFor,
} from './router.ts';
import { type Session, SessionContext, useRefreshes, useSession } from './session.ts';
import type { Me } from './types.ts';
import { AgentView } from './views/agent.tsx';
import { Journal } from './views/journal.tsx';
import { Overview } from './views/overview.tsx';
import { OneTrade } from './views/trade.tsx';
import { OneGroup } from './views/trade-group.tsx';
import { Trades } from './views/trades.tsx';

export function App() {
  const { key, refused, setKey } = useKey();
  const place = usePlace();
  const [signedOut, setSignedOut] = useState<SignedOut>();
  const { session, failure } = useOpened(key ?? null);
  const isRefused = failure !== undefined && isAboutKey(failure);

  useEffect(() => {
    if (isRefused) forgetKey();
  }, [isRefused]);

  const signOut = (from: SignedOut) => {
    forgetKey();
    setSignedOut(from);
    setKey(null);
  };

  if (key === null || isRefused) {
    return (
      <AskForKey
        failure={key === null ? refused : failure}
        signedOut={signedOut}
        onKey={(typed) => setKey(keepForTab(typed))}
      />
    );
  }
  if (!session) {
    return (
      <main class="gate stack">
        {failure ? <Problem failure={failure} /> : <Loading />}
      </main>
    );
  }

  return (
    <SessionContext.Provider value={session}>
      <button
        type="button"
        class="skip no-print"
        onClick={() => document.getElementById('main')?.focus()}
      >
        Skip to content
      </button>
      <Header place={place} onSignOut={signOut} />
      <main id="main" tabIndex={-1}>
        <CurrentView place={place} />
      </main>
      <Shortcuts place={place} />
    </SessionContext.Provider>
  );
}

/** A key that this device no longer has, although it still works. */
interface SignedOut {
  id: string;
  /** When it expires, in words. */
  until: string;
}

/**
 * The tab's key; null without one, undefined while one is awaited in exchange for a
 * ticket.
 */
function useKey() {
  const [state, setState] = useState<{ key?: string | null; refused?: Failure }>({});
  const setKey = (key: string | null) => setState({ key });

  // Before the paint: a key in the address is there at once.
  useLayoutEffect(() => {
    const arrive = () => {
      const ticket = takeTicket();
      if (ticket === undefined) return setKey(takeKey());
      setState({});
      keyFor(ticket).then(
        (key) => setKey(keepForTab(key)),
        (refused: Failure) => setState({ key: null, refused }),
      );
    };

    arrive();
    return listen({
      // A link with a key, opened in this tab, changes the fragment only.
      hashchange: () => /^#(key|ticket)=/.test(location.hash) && arrive(),
      // Another tab has signed out, or had this device keep the key.
      storage: () => setKey(storedKey()),
    });
  }, []);

  return { ...state, setKey };
}

/** Asks for the key's context, again after each failure that may pass. */
function useOpened(key: string | null): {
  session: Session | undefined;
  failure: Failure | undefined;
} {
  const api = useMemo(() => (key === null ? null : new Api(key)), [key]);
  const [opened, setOpened] = useState<{ api: Api; me?: Me; failure?: Failure }>();
  const refreshes = useRefreshes();

  useEffect(() => {
    return api?.ask<{ data: Me }>(
      'me',
      {},
      ({ data }) => setOpened({ api, me: data }),
      // The view stays while the service is unreachable, but not after the key was
      // refused.
      (failure) =>
        setOpened((known) =>
          known?.api === api && known.me && !isAboutKey(failure)
            ? known
            : { api, failure },
        ),
    );
  }, [api, refreshes]);
  const current = opened?.api === api ? opened : undefined;
  const me = current?.me;
  const format = useMemo(() => me && formatsOf(me.user), [me]);
  const session = useMemo(
    () => (api && me && format ? { api, me, format, refreshes } : undefined),
    [api, me, format, refreshes],
  );

  return { session, failure: current?.failure };
}

function isAboutKey({ code }: Failure): boolean {
  return ['missing_key', 'invalid_key', 'expired_key', 'revoked_key'].includes(code);
}

const KEEP_FILTERS: readonly View[] = ['overview', 'trades'];

interface HeaderProps {
  place: Place;
  onSignOut: (from: SignedOut) => void;
}

function Header({ place, onSignOut }: HeaderProps) {
  const { me } = useSession();
  return (
    <header class="page-head row">
      <a class="brand" href={hrefOf(viewsFor(me)[0] ?? 'agent')}>
        <img src="assets/icon.svg" alt="" width="24" height="24" />
        Trading journal
      </a>
      <nav class="tabs no-print" aria-label="Views">
        {viewsFor(me).map((view) => (
          <a
            key={view}
            href={hrefOf(view, KEEP_FILTERS.includes(view) ? carried(place.query) : {})}
            aria-current={view === place.view ? 'page' : undefined}
          >
            {VIEWS[view]}
          </a>
        ))}
      </nav>
      <KeyBar onSignOut={onSignOut} />
    </header>
  );
}

/**
 * An address without a view leads to the first view that the key can read; one without a
 * unit counts by what the owner calls a trade.
 */
function completed(asked: Place, me: Me): Place {
  const view = asked.isHome ? (viewsFor(me)[0] ?? 'agent') : asked.view;
  const isByPosition = me.unit === 'position' && asked.query['unit'] === undefined;
  const query = isByPosition ? { ...asked.query, unit: me.unit } : asked.query;
  return { ...asked, view, query };
}

function CurrentView({ place: asked }: { place: Place }) {
  const { me } = useSession();
  const place = useMemo(() => completed(asked, me), [asked, me]);
  const title = VIEWS[place.view];

  useEffect(() => {
    document.title = `${place.id ?? title} – Trading journal`;
  }, [title, place.id]);
  // The focused element is gone with the previous view.
  const arrived = useRef(false);
  useEffect(() => {
    if (arrived.current) focusArrived();
    arrived.current = true;
  }, [place.view, place.id]);

  switch (place.view) {
    case 'overview':
      return <Overview place={place} />;
    case 'trades':
      return <TradesView place={place} />;
    case 'journal':
      return <Journal place={place} />;
    case 'agent':
      return <AgentView />;
  }
}

/** The list, a trade, or a group of trades. */
function TradesView({ place }: { place: Place }) {
  const { id, query } = place;
  if (id === null) return <Trades place={place} />;
  if (query['kind'] !== undefined) return <OneGroup key={`group ${id}`} id={id} />;
  return <OneTrade key={id} id={id} />;
}

/** Name and expiry of the key; keeps it on the device, or signs out. */
function KeyBar({ onSignOut }: Pick<HeaderProps, 'onSignOut'>) {
  const { api, me, format } = useSession();
  const [kept, setKept] = useState(keptOnDevice);
  const { id, name, expires_at: expiresAt } = me.key;
  const until = format.shortInstant(expiresAt);
  const keep = () => {
    keepOnDevice(api.key, expiresAt);
    setKept(keptOnDevice());
  };

  return (
    <div class="key-bar row fine no-print">
      <span title={`Key ${id}`}>
        Key “{name}”, expires {until}
      </span>
      {kept ? (
        <output>Kept here until {format.shortInstant(kept.until)}</output>
      ) : (
        mayKeepOnDevice() && (
          <button type="button" class="quiet" onClick={keep}>
            Keep on this device
          </button>
        )
      )}
      <button type="button" class="quiet" onClick={() => onSignOut({ id, until })}>
        Sign out
      </button>
    </div>
  );
}

interface AskForKeyProps {
  /** Why the last key was refused. */
  failure: Failure | undefined;
  signedOut: SignedOut | undefined;
  onKey: (key: string) => void;
}

/** The form for a key. */
function AskForKey({ failure, signedOut, onKey }: AskForKeyProps) {
  const [text, setText] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    const key = text.trim();
    setText('');
    if (key !== '') onKey(key);
  };

  return (
    <main class="gate stack">
      {failure ? (
        <Problem failure={failure} />
      ) : (
        <section class="problem box">
          <h1>Trading journal</h1>
          {signedOut && (
            <>
              <p role="status">
                This device no longer has the key, which works until {signedOut.until}. To
                end it now, run on the computer with the journal:
              </p>
              <Command text={`journal-api key revoke ${signedOut.id}`} />
            </>
          )}
          <p>
            The dashboard needs a key to your journal. This command creates one and opens
            the dashboard:
          </p>
          <Command text="journal-api open" />
        </section>
      )}
      <form class="key-form row" onSubmit={submit}>
        <label>
          Or paste a key
          {/* Not a password field: the browser would offer to store the key. */}
          <input
            class="secret"
            name="key"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            placeholder="jak_…"
          />
        </label>
        <button type="submit">Open journal</button>
      </form>
      <p class="fine">The key stays in this tab, until it is closed or you sign out.</p>
    </main>
  );
}
