/** The user's text, collected line by line. */

export class TextOf {
  readonly #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line);
  }

  /** The text without empty lines and rules around it; null if nothing else is left. */
  get text(): string | null {
    const lines = this.#lines;
    let first = 0;
    let last = lines.length;
    while (first < last && isEdge(lines[first] as string)) first++;
    while (last > first && isEdge(lines[last - 1] as string)) last--;
    // A removed field between two empty lines leaves one of them.
    const left = lines
      .slice(first, last)
      .filter((line, index, all) => line.trim() !== '' || all[index - 1]?.trim() !== '');
    return left.length === 0 ? null : left.join('\n').trimEnd();
  }
}

function isEdge(line: string): boolean {
  return line.length < 100 && /^[ \t]*(?:-{3,}[ \t]*)?$/.test(line);
}

const TAG = /(?<=^|\s)#([\p{L}\p{N}_/-]{1,60})/gu;
const CODE = /`[^`\n]*`/g;
const LONGEST = 100_000;

/** #words, except numbers and code. */
export function tagsIn(text: string): string[] {
  const tags = [...text.slice(0, LONGEST).replaceAll(CODE, ' ').matchAll(TAG)].map(([, tag]) => tag as string);
  return [...new Set(tags.filter((tag) => !/^\d+$/.test(tag)))];
}

const PICTURE = /!\[([^\][\n]{0,300})\]\((https?:\/\/[^\s()]{1,2000})\)/g;

/** Pictures with web addresses; local ones stay text. */
export function picturesIn(text: string): { url: string; caption: string | null }[] {
  return [...text.slice(0, LONGEST).matchAll(PICTURE)].map(([, caption, url]) => ({
    url: url as string,
    caption: caption === '' ? null : (caption as string),
  }));
}
