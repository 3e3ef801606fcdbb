/** What a single trade has beside the fields of its record. */
import * as z from 'zod';
import { execution } from '../journal/resources/trades.ts';

/** The fills, which are stored with their trade. */
export const executionList = z.array(execution);

/** What the API shows of other records: ignored, since those are imported for themselves. */
export const SHOWN_OF_OTHERS: readonly string[] = ['group', 'journals', 'group_journals', 'withheld'];
