/** The pages in docs/: their links lead somewhere, and together they stay short enough to be read. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const PAGES = readdirSync('docs')
  .filter((name) => name.endsWith('.md'))
  .map((name) => join('docs', name));
const OTHERS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md'];

const LIMIT = 30_000;

function withoutExamples(page: string): string {
  return readFileSync(page, 'utf8').replace(/^```.*?^```/gms, '');
}

/** As GitHub makes them of headings. */
function anchorsOf(page: string): Set<string> {
  const headings = withoutExamples(page).matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test('all pages together have at most 30,000 words besides examples', () => {
  const words = PAGES.flatMap(
    (page) => withoutExamples(page).match(/\S*[\p{L}\p{N}]\S*/gu) ?? [],
  );

  const advice = 'say it in fewer words, or take some from another page of docs/';
  expect(words.length, advice).toBeLessThanOrEqual(LIMIT);
});

test.each([...PAGES, ...OTHERS])('the links of %s lead somewhere', (page) => {
  const links = withoutExamples(page)
    .replace(/`[^`\n]*`/g, '')
    .matchAll(/\]\(([^)\s]+)\)/g);
  const broken = [...links]
    .map(([, link = '']) => link)
    .filter((link) => !link.startsWith('http') && !leads(page, link));

  expect(broken).toEqual([]);
});

function leads(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  return existsSync(target) && (anchor === undefined || anchorsOf(target).has(anchor));
}
