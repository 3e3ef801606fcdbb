/**
 * Pages and their files, by their names in dist/assets: at /assets/<name>, or a page at
 * its own path.
 */

import { readAsset } from '../../embedded.ts';
import { codeOf } from '../../errors.ts';
import { Problem } from '../problem.ts';
import type { MediaType } from '../response-body.ts';
import type { FileRoute } from '../route.ts';

const TYPES: Record<string, MediaType> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** A page loads only files of the service itself; only images may be inline. */
const policyOf = (images: string) =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' ${images}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** @param name such as docs.js */
function asset(name: string): FileRoute {
  return {
    path: `/assets/${name}`,
    type: TYPES[name.replace(/^.*\./, '')] as MediaType,
    read: () => built(name),
  };
}

/** @throws Problem if the program runs from source and its pages aren't built */
function built(name: string): Buffer {
  try {
    return readAsset(name);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    throw new Problem('not_found', 'this page is not built yet; run "npm run build"');
  }
}

/** @param name such as docs.html */
function page(path: string, name: string, images = 'data:'): FileRoute {
  return { ...asset(name), path, contentSecurityPolicy: policyOf(images) };
}

/** The dashboard: a client of /v1 with its source in src/web. */
const dashboardFiles = [
  // Pictures that it fetched with its key.
  page('/', 'page.html', 'data: blob:'),
  asset('page.css'),
  asset('page.js'),
  asset('icon.svg'),
];

/** The API description as a page, with a form to try requests. */
const docsFiles = [
  page('/docs', 'docs.html'),
  asset('docs.css'),
  asset('docs.js'),
  asset('swagger-ui.css'),
  asset('swagger-ui.js'),
];

export const pageFiles = [...dashboardFiles, ...docsFiles];
