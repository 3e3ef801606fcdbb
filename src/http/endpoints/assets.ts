/** Files that pages are made of, by their names in dist/assets: at /assets/<name>, or a page at a path of its own. */
import { readAsset } from '../../embedded.ts';
import { Problem } from '../problem.ts';
import type { MediaType } from '../response-body.ts';
import type { FileRoute } from '../route.ts';

const TYPES: Record<string, MediaType> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Everything a page loads and asks comes from the service itself, in files; only pictures may stand within others. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** @param name such as docs.js */
export function asset(name: string): FileRoute {
  return { path: `/assets/${name}`, type: TYPES[name.replace(/^.*\./, '')] as MediaType, read: () => built(name) };
}

/** @throws Problem where the program runs from source and nobody has built its pages yet */
function built(name: string): Buffer {
  try {
    return readAsset(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Problem('not_found', 'this page is not built yet; "npm run build" builds it');
  }
}

/** @param name such as docs.html */
export function page(path: string, name: string): FileRoute {
  return { ...asset(name), path, contentSecurityPolicy: PAGE_POLICY };
}
