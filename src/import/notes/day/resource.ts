import type { ListResource } from '../../../journal/resource.ts';
import { sessions } from '../../../journal/resources/sessions.ts';

/** The resource of day notes, which hold records of several lists. */
export const days: ListResource = { ...sessions, path: 'days', title: 'days', table: null };
