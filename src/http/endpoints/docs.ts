/** /docs: the API description as a page, with a form to try requests. */
import { asset, page } from './assets.ts';

export const docsFiles = [
  page('/docs', 'docs.html'),
  asset('docs.css'),
  asset('docs.js'),
  asset('swagger-ui.css'),
  asset('swagger-ui.js'),
];
