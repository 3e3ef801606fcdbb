/** Parts that entries, sessions, reviews and missed trades share. */

import MarkdownIt, { type Token } from 'markdown-it';
import { type ComponentChildren, h } from 'preact';
import { word } from '../format.ts';
import { useSession } from '../session.ts';
import type { Attachment } from '../types.ts';
import { isKept, Picture } from './picture.tsx';

/** Texts with headings; empty ones are omitted. */
export function Texts({
  texts,
}: {
  texts: Readonly<Record<string, string | null | undefined>>;
}) {
  const written = Object.entries(texts).filter(([, text]) => text);
  if (written.length === 0) return null;

  return (
    <div class="texts stack">
      {written.map(([name, text]) => (
        <div class="named-text" key={name}>
          <h4>{name}</h4>
          <Text text={text as string} />
        </div>
      ))}
    </div>
  );
}

interface LabelsProps {
  setup?: string | null;
  tags?: readonly string[];
  mistakes?: readonly string[];
  emotions?: readonly string[];
  /** Named by the trader; a key may hide them. */
  fields?: Readonly<Record<string, string | number>> | undefined;
}

export function Labels({
  setup,
  tags = [],
  mistakes = [],
  emotions = [],
  fields = {},
}: LabelsProps) {
  const all = [
    ...(setup ? [['setup', setup]] : []),
    ...mistakes.map((text) => ['mistake', text]),
    ...tags.map((text) => ['tag', text]),
    ...emotions.map((text) => ['emotion', text]),
    ...Object.entries(fields).map(([name, value]) => ['field', `${name}: ${value}`]),
  ] as [kind: string, text: string][];
  if (all.length === 0) return null;

  return (
    <ul class="labels row">
      {all.map(([kind, text]) => (
        <li key={`${kind} ${text}`} class={`label fine label-${kind}`}>
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
export function Checks({
  title,
  checks = [],
}: {
  title: string;
  checks?: readonly Check[];
}) {
  if (checks.length === 0) return null;
  return (
    <div class="named-text">
      <h4>{title}</h4>
      <ul class="checks stack">
        {checks.map(({ text, met }) => (
          <CheckItem key={text} text={text} met={met} />
        ))}
      </ul>
    </div>
  );
}

function CheckItem({ text, met }: Check) {
  const [tone, answer] = answerOf(met);
  return (
    <li class={tone}>
      <span class="unseen">{answer}: </span>
      {text}
    </li>
  );
}

function answerOf(met: boolean | null): readonly [tone: string, answer: string] {
  if (met === null) return ['even', 'Open'];
  return met ? ['kept', 'Yes'] : ['broken', 'No'];
}

/** A key may hide them. */
export function Attachments({
  attachments = [],
}: {
  attachments?: readonly Attachment[] | undefined;
}) {
  if (attachments.length === 0) return null;
  return (
    <ul class="attachments">
      {attachments.map((attachment) => (
        <li key={attachment.url}>
          {isKept(attachment) ? (
            <Picture attachment={attachment} />
          ) : (
            <OutsideLink href={attachment.url}>
              {attachment.caption ?? attachment.url}
            </OutsideLink>
          )}
        </li>
      ))}
    </ul>
  );
}

// HTML in Markdown stays text: nothing here parses HTML. Pictures are links, since the
// dashboard loads nothing from other hosts.

const parser = new MarkdownIt({ html: false, linkify: false, breaks: true });

/** Headings rank below those of the dashboard. */
const HEADINGS: Readonly<Record<string, string>> = {
  h1: 'h4',
  h2: 'h4',
  h3: 'h5',
  h4: 'h5',
  h5: 'h6',
  h6: 'h6',
};

/** The other elements of Markdown. */
const ELEMENTS: readonly string[] = [
  'p',
  'ul',
  'ol',
  'li',
  'blockquote',
  'hr',
  'br',
  'em',
  'strong',
  's',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
];

/** Markdown as elements. */
export function Text({ text }: { text: string }) {
  return <div class="markdown">{elementsOf(parser.parse(text, {}))}</div>;
}

/**
 * A link out of a journal: http and https only, in a report https, without a referrer.
 */
function OutsideLink({ href, children }: { href: string; children: ComponentChildren }) {
  const { isReport } = useSession();
  if (!(isReport ? /^https:\/\//i : /^https?:\/\//i).test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

interface Frame {
  token: Token | null;
  children: ComponentChildren[];
}

function elementsOf(tokens: readonly Token[]): ComponentChildren[] {
  const frames: Frame[] = [{ token: null, children: [] }];
  for (const token of tokens) {
    if (token.nesting === 1) {
      frames.push({ token, children: [] });
      continue;
    }
    const closed = token.nesting === -1 ? frames.pop() : undefined;
    const element = closed?.token
      ? elementOf(closed.token, closed.children)
      : leafOf(token);
    frames.at(-1)?.children.push(element);
  }

  return frames[0]?.children ?? [];
}

function elementOf(token: Token, children: ComponentChildren[]): ComponentChildren {
  // The paragraph of a tight list's item.
  if (token.hidden) return children;
  if (token.type === 'link_open')
    return <OutsideLink href={String(token.attrGet('href'))}>{children}</OutsideLink>;

  const name = HEADINGS[token.tag] ?? token.tag;
  if (name === token.tag && !ELEMENTS.includes(name)) return children;

  const start = name === 'ol' ? token.attrGet('start') : null;
  return h(name, start === null ? null : { start: Number(start) }, children);
}

function leafOf(token: Token): ComponentChildren {
  switch (token.type) {
    case 'inline':
      return elementsOf(token.children ?? []);
    case 'image':
      return (
        <OutsideLink href={String(token.attrGet('src'))}>
          {token.content || 'Picture'}
        </OutsideLink>
      );
    case 'code_inline':
      return <code>{token.content}</code>;
    case 'code_block':
    case 'fence':
      return (
        <pre class="sunken">
          <code>{token.content}</code>
        </pre>
      );
    case 'hardbreak':
    case 'softbreak':
      return <br />;
    case 'hr':
      return <hr />;
    default:
      return token.content;
  }
}
