/** The beginning of a text on one line, at most so many letters, cut at a word and marked with an ellipsis. */
export function excerpt(text: string, letters: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const all = [...line];
  if (all.length <= letters) return line;
  const cut = all.slice(0, letters - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > cut.length / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.–—-]+$/, '')}…`;
}
