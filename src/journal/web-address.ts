/** Links, as RFC 3986 has them: what a browser would make of a text such as https://example.com/ä b, before it follows it. */

const CHARACTER = "[\\w.~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}";
const HOST = '[A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\]';
const VALID = new RegExp(
  `^https?://(?:(?:${CHARACTER})*@)?(?:${HOST})(?::\\d*)?(?:/(?:${CHARACTER}|/)*)?(?:\\?(?:${CHARACTER}|[/?])*)?(?:#(?:${CHARACTER}|[/?])*)?$`,
);

/** The text where it is a valid http or https address, or the address that it stands for; undefined where it is none. */
export function webAddressOf(text: string): string | undefined {
  if (VALID.test(text)) return URL.canParse(text) ? text : undefined;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, pathname, search, hash } = new URL(text);
  // What a browser leaves as it is, although it is not allowed there.
  const escaped = (part: string) => part.replace(/%(?![0-9A-Fa-f]{2})|[^\w.~!$&'()*+,;=:@/?%-]/g, encodeURIComponent);
  const address = `${origin}${escaped(pathname)}${escaped(search)}${hash && `#${escaped(hash.slice(1))}`}`;
  return VALID.test(address) ? address : undefined;
}
