/** Which key reads, until when; whether this tab keeps it. */
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
        Key “{me.key.name}”, until {format.shortInstant(me.key.expires_at)}
      </span>
      {!kept && (
        <button
          type="button"
          class="quiet"
          onClick={keep}
          title="So that a reload doesn't ask for it. Gone with the tab."
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
