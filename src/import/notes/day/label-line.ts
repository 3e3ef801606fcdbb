/** Lines with the name and value of a field, in any usual form. */

export interface LabelLine {
  name: string;
  value: string;
  /** The less plain, the surer it is that a field is meant. */
  form: 'dataview' | 'bold' | 'plain';
}

/** Longest name, including its markup. */
const LONGEST_NAME = 70;

const BULLET = /^[ \t]*(?:[-*+] )?/;
const NAME = /^\p{L}[^:|[\]{}<>"]{0,60}$/u;

/** @returns undefined for any other line */
export function labelIn(line: string): LabelLine | undefined {
  const bullet = BULLET.exec(line)?.[0].length ?? 0;
  const start = line.slice(bullet, bullet + LONGEST_NAME);
  const rest = (at: number) => line.slice(bullet + at);
  const double = start.indexOf('::');
  if (double > 0) {
    const value = rest(double + 2);
    const name = start.slice(0, double).replaceAll(/^[*_]{1,2}|[*_]{1,2}$/g, '');
    const isField = NAME.test(name) && (value === '' || /^\s/.test(value));
    return isField ? { name, value: value.trim(), form: 'dataview' } : undefined;
  }
  const mark = /^(?:\*\*|__)/.exec(start)?.[0];
  if (mark) {
    const end = start.indexOf(mark, 2);
    const after = rest(end + 2);
    const name = start.slice(2, end).trim();
    if (end < 3 || !(name.endsWith(':') || /^\s*:/.test(after))) return undefined;
    const own = name.replace(/:$/, '');
    return NAME.test(own) ? { name: own, value: after.replace(/^\s*:/, '').trim(), form: 'bold' } : undefined;
  }
  const colon = start.indexOf(':');
  const name = start.slice(0, colon);
  if (colon < 1 || !/^(?: |$)/.test(rest(colon + 1)) || !NAME.test(name)) return undefined;
  return { name, value: rest(colon + 1).trim(), form: 'plain' };
}

const BOLD_ONLY = /^[ \t]*(?:\*\*|__)([^*_]{1,80})(?:\*\*|__)[ \t]*$/;

/** The text of a line that is bold as a whole, like a heading. */
export function boldIn(line: string): string | undefined {
  return line.length > 120 ? undefined : BOLD_ONLY.exec(line)?.[1];
}

const CHECK = /^[ \t]*[-*+] \[([ xX])\] (\S.*)$/;

/** - [x] Stop placed at once */
export function checkIn(line: string): { text: string; isDone: boolean } | undefined {
  const [, mark, text] = CHECK.exec(line) ?? [];
  return text === undefined ? undefined : { text: text.trim(), isDone: mark !== ' ' };
}

const BULLET_LINE = /^([ \t]*)[-*+] (\S.*)$/;

export function bulletIn(line: string): { text: string; indent: number } | undefined {
  const [, indent, text] = BULLET_LINE.exec(line) ?? [];
  return text === undefined ? undefined : { text, indent: (indent as string).length };
}
