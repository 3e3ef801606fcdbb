import type { ListResource } from '../../../journal/resource.ts';
import { sessions } from '../../../journal/resources/sessions.ts';

/** What notes of days hold: records of several lists, which are none of its own. */
export const days: ListResource = { ...sessions, path: 'days', title: 'days', table: null };
