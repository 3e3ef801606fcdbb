/**
 * Replaces what markdown-it brings for options that the dashboard leaves off or a few texts need:
 * links without brackets, domains in other alphabets as text, and all 2,125 names of characters.
 */

/** Those that people type; characters by number need no names. */
const NAMES = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  plusmn: '±',
  times: '×',
  frac12: '½',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  bull: '•',
  middot: '·',
  larr: '←',
  uarr: '↑',
  rarr: '→',
  darr: '↓',
  le: '≤',
  ge: '≥',
  ne: '≠',
  asymp: '≈',
};

/** An unknown one stays as it is written. */
export function decodeHTMLStrict(text) {
  return text.replace(/&(\w+);/g, (written, name) =>
    Object.hasOwn(NAMES, name) ? NAMES[name] : written,
  );
}

/** For `linkify`, which is off. */
export class LinkifyIt {}

const unchanged = (host) => host;

/** For hosts of links: a browser encodes those itself. */
export default { toASCII: unchanged, toUnicode: unchanged };
