/** Parts that entries, sessions, reviews and missed trades share. */
import { Markdown } from '../components/markdown.tsx';
import { OutsideLink } from '../components/outside-link.tsx';
import { word } from '../format.ts';

export function Text({ text }: { text: string }) {
  return <Markdown text={text} />;
}

/** Texts with headings; empty ones are omitted. */
export function Texts({ texts }: { texts: Readonly<Record<string, string | null | undefined>> }) {
  return (
    <div class="texts">
      {Object.entries(texts).map(
        ([name, text]) =>
          text && (
            <div class="named-text" key={name}>
              <h4>{name}</h4>
              <Text text={text} />
            </div>
          ),
      )}
    </div>
  );
}

interface LabelsProps {
  setup?: string | null;
  tags?: readonly string[];
  mistakes?: readonly string[];
  emotions?: readonly string[];
}

export function Labels({ setup, tags = [], mistakes = [], emotions = [] }: LabelsProps) {
  const all = [
    ...(setup ? [['setup', setup]] : []),
    ...mistakes.map((text) => ['mistake', text]),
    ...tags.map((text) => ['tag', text]),
    ...emotions.map((text) => ['emotion', text]),
  ] as [kind: string, text: string][];
  if (all.length === 0) return null;
  return (
    <ul class="labels">
      {all.map(([kind, text]) => (
        <li key={`${kind} ${text}`} class={`label label-${kind}`}>
          <span class="unseen">{word(kind)}: </span>
          {text}
        </li>
      ))}
    </ul>
  );
}

interface Check {
  text: string;
  met: boolean | null;
}

/** Goals and rules: kept, broken or open. A key may hide them. */
export function Checks({ title, checks = [] }: { title: string; checks?: readonly Check[] }) {
  if (checks.length === 0) return null;
  return (
    <div class="named-text">
      <h4>{title}</h4>
      <ul class="checks">
        {checks.map(({ text, met }) => (
          <li key={text} class={met === null ? 'even' : met ? 'kept' : 'broken'}>
            <span class="unseen">{met === null ? 'Open: ' : met ? 'Yes: ' : 'No: '}</span>
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A key may hide them. */
export function Attachments({
  attachments = [],
}: {
  attachments?: readonly { url: string; caption: string | null }[];
}) {
  if (attachments.length === 0) return null;
  return (
    <ul class="attachments">
      {attachments.map(({ url, caption }) => (
        <li key={url}>
          <OutsideLink href={url}>{caption ?? url}</OutsideLink>
        </li>
      ))}
    </ul>
  );
}
