/** Name and expiry of the key; keeps it for the tab, or forgets it. */
import { useState } from 'preact/hooks';
import { isKept, keepForTab } from '../key.ts';
import { useSession } from '../session.ts';

export function KeyBar({ onForget }: { onForget: () => void }) {
  const { api, me, format } = useSession();
  const [kept, setKept] = useState(isKept);
  const keep = () => {
    keepForTab(api.key);
    setKept(true);
  };
  return (
    <div class="key-bar">
      <span title={`Key ${me.key.id}`}>
        Key “{me.key.name}”, expires {format.shortInstant(me.key.expires_at)}
      </span>
      {!kept && (
        <button
          type="button"
          class="quiet"
          onClick={keep}
          title="A reload won't ask for the key again. It is gone when the tab is closed."
        >
          Keep for this tab
        </button>
      )}
      <button type="button" class="quiet" onClick={onForget}>
        Forget
      </button>
    </div>
  );
}
