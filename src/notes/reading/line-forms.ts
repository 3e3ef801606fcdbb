/**
 * The forms that a line of text may have: a field, a bullet, a check box, a line in bold.
 */

/** The name and the value of a field, in any usual form. */
export interface Label {
  name: string;
  value: string;
  /** The less plain, the surer it is that a field is meant. */
  form: 'dataview' | 'bold' | 'plain';
}

export interface LineForms {
  label?: Label | undefined;
  /** The text of a line that is bold as a whole, like a heading. */
  bold?: string | undefined;
  check?: { text: string; isDone: boolean } | undefined;
  bullet?: { text: string; indent: number } | undefined;
}

export function formsOf(line: string): LineForms {
  const label = labelIn(line);
  const bold = boldIn(line);
  const isHeading = bold !== undefined && (label === undefined || label.value === '');

  return {
    label: isHeading ? undefined : label,
    bold: isHeading ? bold : undefined,
    check: checkIn(line),
    bullet: bulletIn(line),
  };
}

/** Longest name, including its markup. */
const LONGEST_NAME = 70;

const MARK = /^[ \t]*(?:[-*+] )?/;
const NAME = /^\p{L}[^:|[\]{}<>"]{0,60}$/u;

function labelIn(line: string): Label | undefined {
  const text = line.slice(MARK.exec(line)?.[0].length ?? 0);
  const start = text.slice(0, LONGEST_NAME);
  if (start.indexOf('::') > 0) return dataviewIn(text, start);
  return /^(?:\*\*|__)/.test(start) ? boldLabelIn(text, start) : plainIn(text, start);
}

/**
 * A name of a field that the trader named may begin with any character that it may have.
 */
const TRADER_NAME = /^[\p{L}\p{N}_-][^:|[\]{}<>"]{0,60}$/u;

/** setup:: ORB */
function dataviewIn(text: string, start: string): Label | undefined {
  const at = start.indexOf('::');
  const value = text.slice(at + 2);
  const name = start.slice(0, at).replaceAll(/^\*{1,2}|\*{1,2}$/g, '');
  const isField = TRADER_NAME.test(name) && (value === '' || /^\s/.test(value));
  return isField ? { name, value: value.trim(), form: 'dataview' } : undefined;
}

/** **Setup:** ORB */
function boldLabelIn(text: string, start: string): Label | undefined {
  const end = start.indexOf(start.slice(0, 2), 2);
  const after = text.slice(end + 2);
  const name = start.slice(2, end).trim();
  if (end < 3 || !(name.endsWith(':') || /^\s*:/.test(after))) return undefined;

  const bare = name.replace(/:$/, '');
  if (!NAME.test(bare)) return undefined;

  return { name: bare, value: after.replace(/^\s*:/, '').trim(), form: 'bold' };
}

/** Setup: ORB */
function plainIn(text: string, start: string): Label | undefined {
  const colon = start.indexOf(':');
  const name = start.slice(0, colon);
  const value = text.slice(colon + 1);
  if (colon < 1 || !/^(?: |$)/.test(value) || !NAME.test(name)) return undefined;
  return { name, value: value.trim(), form: 'plain' };
}

const BOLD_ONLY = /^[ \t]*(?:\*\*|__)([^*_]{1,80})(?:\*\*|__)[ \t]*$/;

function boldIn(line: string): string | undefined {
  return line.length > 120 ? undefined : BOLD_ONLY.exec(line)?.[1];
}

const CHECK = /^[ \t]*[-*+] \[([ xX])\] (\S.*)$/;

/** - [x] Stop placed at once */
function checkIn(line: string): LineForms['check'] {
  const [, mark, text] = CHECK.exec(line) ?? [];
  return text === undefined ? undefined : { text: text.trim(), isDone: mark !== ' ' };
}

const BULLET = /^([ \t]*)[-*+] (\S.*)$/;

function bulletIn(line: string): LineForms['bullet'] {
  const [, indent = '', text] = BULLET.exec(line) ?? [];
  return text === undefined ? undefined : { text, indent: indent.length };
}
