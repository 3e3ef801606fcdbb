/** What is inside a bundle, by package, and the texts of their licences. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** In no package of its own. */
const SQLITE = {
  name: 'SQLite',
  version: '',
  license: 'blessing',
  text: 'In the public domain: https://sqlite.org/copyright.html',
};

/**
 * @param root the project's folder
 * @param inputs paths of the files that esbuild put into the bundle
 * @param addon whether SQLite's addon is inside as well: then so is what that was compiled with
 * @returns {name, version, license (as package.json names it), text} of each package, by name
 */
export function packagesIn(root, inputs, addon) {
  const names = new Set(
    inputs.map((input) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]).filter(Boolean),
  );
  if (addon) for (const name of ['better-sqlite3', ...linkedInto(root, 'better-sqlite3')]) names.add(name);
  const packages = [...names].sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const { version, license } = readPackage(folder);
    const text = file ? readFileSync(join(folder, file), 'utf8').trim() : license;
    return { name, version, license, text };
  });
  return addon ? [...packages, SQLITE] : packages;
}

/** Headers that an addon is compiled with are its dependencies: it has no code to load from elsewhere. */
function linkedInto(root, name) {
  return Object.keys(readPackage(join(root, 'node_modules', name)).dependencies ?? {});
}

function readPackage(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** The texts as a comment for the end of a script. */
export function licenceComment(packages) {
  const texts = packages.map(({ name, version, text }) =>
    `${name} ${version}`.trim().concat('\n\n', text.replaceAll('*/', '* /')),
  );
  return `\n/*\nThis script contains the following packages.\n\n${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n*/\n`;
}
