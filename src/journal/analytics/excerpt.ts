/** The beginning of a text on one line: a maximum of characters, cut at a word, with an ellipsis if cut. */
export function excerpt(text: string, characters: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const all = [...line];
  if (all.length <= characters) return line;
  const cut = all.slice(0, characters - 1).join('');
  const space = cut.lastIndexOf(' ');
  const words = /^.*[^\s,;:.–—-]/s.exec(space > cut.length / 2 ? cut.slice(0, space) : cut)?.[0] ?? '';
  return `${words}…`;
}
