/** A text with a button that copies it. */
import { useState } from 'preact/hooks';

interface CopyableProps {
  text: string;
  /** Keeps lines and spaces. */
  isCode?: boolean;
}

export function Copyable({ text, isCode = false }: CopyableProps) {
  const [copied, setCopied] = useState<string>();
  // Browsers have no clipboard for a page over http from another machine.
  const canCopy = 'clipboard' in navigator;
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(text));

  return (
    <div class="copyable sunken">
      {isCode ? (
        <pre>
          <code>{text}</code>
        </pre>
      ) : (
        <p>{text}</p>
      )}
      {canCopy && (
        <button type="button" class="quiet" onClick={copy}>
          {copied === text ? 'Copied' : 'Copy'}
        </button>
      )}
    </div>
  );
}
