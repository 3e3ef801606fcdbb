/**
 * Pictures that notes show: where their text names one, the text with the addresses of
 * those that are kept, and what a record gets of them.
 */
import { basename } from 'node:path';
import type { Values } from '../journal-write/record.ts';
import {
  addressOf,
  type NamedPicture,
  nameAt,
  PICTURES_PATH,
} from '../pictures/kept-pictures.ts';

/** A picture that the journal keeps, or will keep. */
export interface NotedPicture extends NamedPicture {
  width: number;
  height: number;
  /** Number of its bytes. */
  size: number;
  /** Reads it again, to keep it; undefined if it is kept already. */
  read?: () => Uint8Array;
}

/** A picture that stays text, and why. */
interface LostPicture {
  line: number;
  text: string;
  reason: string;
}

export interface NotePictures {
  /** By their names as written. */
  kept: ReadonlyMap<string, NotedPicture>;
  lost: readonly LostPicture[];
}

/** Finds the pictures of notes. */
export interface PictureSource {
  /** @param note without a file from standard input or an editor */
  in(note: { file?: string | undefined; text: string }): NotePictures;
}

/** A place in a text that shows a picture. */
export interface Reference {
  line: number;
  /** Whole, as in ![[img/chart.png|MNQ]]. */
  text: string;
  /** The name as written: img/chart.png. */
  written: string;
  /** Whether it is in double brackets, which look for a name in all folders. */
  isWiki: boolean;
  /** What describes it; empty if nothing does. */
  caption: string;
}

/** ![[file#part|words]], or ![words](file "title"). */
const ANY =
  /!\[\[([^\][\n|#]{1,500})(?:#[^\][\n|]{0,200})?(?:\|([^\][\n]{0,300}))?\]\]|!\[([^\][\n]{0,300})\]\((?:<([^<>\n]{1,500})>|([^\s()<>\n]{1,500}))(?: +"[^"\n]{0,300}")?\)/g;

/** Files that double brackets may show and that are pictures, kept or not. */
const LOOKS_LIKE_PICTURE =
  /\.(?:png|apng|jpe?g|jpe|jfif|webp|gif|svg|bmp|tiff?|avif|hei[cf]|ico|jxl)$/i;

const LONGEST_LINE = 20_000;

/** The places in a text that show pictures: not those on the web, and none in code. */
export function referencesIn(text: string): Reference[] {
  return linesOutsideCode(text).flatMap(({ line, number }) =>
    [...line.matchAll(ANY)].flatMap((match) => referenceOf(match, number) ?? []),
  );
}

function referenceOf(match: RegExpMatchArray, line: number): Reference | undefined {
  const [text, wiki, alias = '', alt = '', inBrackets, plain] = match;
  const written = wiki?.trim() ?? decoded(inBrackets ?? plain ?? '');
  const isWiki = wiki !== undefined;
  if (isWiki ? !LOOKS_LIKE_PICTURE.test(written) : /^(?:https?:|data:)/i.test(written))
    return undefined;

  return {
    line,
    text,
    written,
    isWiki,
    caption: captionOf(isWiki ? alias : alt, written),
  };
}

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

/** Its words without a size, as in "MNQ|400" or "400x300"; else the file's name. */
function captionOf(words: string, written: string): string {
  const text = words.replace(/(?:^|\|)\s*\d{1,5}(?:x\d{1,5})?\s*$/, '').trim();
  if (text !== '' || nameAt(written) !== undefined) return text;
  return basename(written.replaceAll('\\', '/'))
    .replace(/\.\w{1,5}$/, '')
    .replaceAll(/[\][]/g, '')
    .trim();
}

function linesOutsideCode(text: string): { line: string; number: number }[] {
  let fence: string | undefined;
  return text.split('\n').flatMap((line, index) => {
    const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      return [];
    }
    fence = mark;
    const isRead =
      mark === undefined && line.length <= LONGEST_LINE && line.includes('![');
    return isRead ? [{ line, number: index + 1 }] : [];
  });
}

/** A note's text with the addresses of kept pictures in place of their names. */
export function withAddresses(text: string, kept: NotePictures['kept']): string {
  if (kept.size === 0) return text;

  const lines = text.split('\n');
  const byLine = Map.groupBy(referencesIn(text), ({ line }) => line);
  for (const [number, references] of byLine) {
    for (const { text: shown, written, caption } of references) {
      const picture = kept.get(written);
      const line = lines[number - 1] as string;
      if (picture)
        lines[number - 1] = line.replace(shown, () => markdownOf(picture, caption));
    }
  }

  return lines.join('\n');
}

/** A picture in a note as printed and read. */
export function markdownOf(picture: NamedPicture, caption: string): string {
  return `![${caption}](${addressOf(picture)})`;
}

/** An attachment of a record. */
export interface Attachment {
  url: string;
  caption: string | null;
  width?: number;
  height?: number;
}

const KEPT = /!\[([^\][\n]{0,300})\]\((\/v1\/attachments\/[0-9a-f]{64}\.[a-z]{3,4})\)/g;

/**
 * Takes the kept pictures out of a record's texts.
 * @returns the values without them, and the attachments that they are
 */
export function takenPictures(
  values: Values,
  kept: NotePictures['kept'] = new Map(),
): { values: Values; attachments: Attachment[] } {
  if (kept.size === 0) return { values, attachments: [] };

  const byAddress = new Map(
    [...kept.values()].map((picture) => [addressOf(picture), picture]),
  );
  const attachments = new Map<string, Attachment>();

  const take = (value: unknown): unknown => {
    if (typeof value === 'string') return withoutPictures(value, byAddress, attachments);
    if (Array.isArray(value)) return value.map(take);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, take(inner)]),
    );
  };

  const { attachments: others, ...texts } = values;
  const left = Object.entries(texts).flatMap(([name, value]) => {
    const taken = take(value);
    return taken === '' && value !== '' ? [] : [[name, taken] as const];
  });
  return {
    values: {
      ...Object.fromEntries(left),
      ...(others !== undefined && { attachments: others }),
    },
    attachments: [...attachments.values()],
  };
}

function withoutPictures(
  text: string,
  byAddress: ReadonlyMap<string, NotedPicture>,
  attachments: Map<string, Attachment>,
): string {
  if (!text.includes(PICTURES_PATH)) return text;

  const lines = text.split('\n').flatMap((line) => {
    const left = line.replaceAll(KEPT, (whole, caption: string, url: string) => {
      const picture = byAddress.get(url);
      if (!picture) return whole;

      const { width, height } = picture;
      if (!attachments.has(url))
        attachments.set(url, { url, caption: caption.trim() || null, width, height });
      return '';
    });
    const isGone = left !== line && /^[\s>*+-]*$/.test(left);
    if (isGone) return [];
    return left === line ? line : left.replace(/ {2,9}/, ' ').trimEnd();
  });

  // Between two paragraphs there is one empty line.
  return lines
    .filter((line, at) => line.trim() !== '' || lines[at - 1]?.trim() !== '')
    .join('\n')
    .trim();
}
