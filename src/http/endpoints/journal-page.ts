/** The dashboard: a client of /v1 with its source in src/web. */
import { asset, page } from './assets.ts';

export const journalPageFiles = [page('/', 'page.html'), asset('page.css'), asset('page.js'), asset('icon.svg')];
