/** All formats, files and notes, in the order of detection. */
import { FORMATS } from '../formats/index.ts';
import { markdown } from '../notes/format.ts';
import type { Format } from '../table/format.ts';

export const KNOWN_FORMATS: readonly Format[] = [...FORMATS, markdown];
