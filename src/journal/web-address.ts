/** Links by RFC 3986: the address that a browser opens for a text such as https://example.com/ä b. */

const CHARACTER = "[\\w.~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2}";
const HOST = '[A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\]';
const VALID = new RegExp(
  `^https?://(?:(?:${CHARACTER})*@)?(?:${HOST})(?::\\d*)?(?:/(?:${CHARACTER}|/)*)?(?:\\?(?:${CHARACTER}|[/?])*)?(?:#(?:${CHARACTER}|[/?])*)?$`,
);

/** The text if it is a valid http or https address, else the address that a browser makes of it; undefined if none. */
export function webAddressOf(text: string): string | undefined {
  if (VALID.test(text)) return URL.canParse(text) ? text : undefined;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, pathname, search, hash } = new URL(text);
  // Characters that a browser keeps, although they aren't allowed there.
  const escaped = (part: string) => part.replace(/%(?![0-9A-Fa-f]{2})|[^\w.~!$&'()*+,;=:@/?%-]/g, encodeURIComponent);
  const address = `${origin}${escaped(pathname)}${escaped(search)}${hash && `#${escaped(hash.slice(1))}`}`;
  return VALID.test(address) ? address : undefined;
}
