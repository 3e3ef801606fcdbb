/** The page to look at the journal with: a client of /v1, whose source is in src/web. */
import { asset, page } from './assets.ts';

export const journalPageFiles = [page('/', 'page.html'), asset('page.css'), asset('page.js'), asset('icon.svg')];
