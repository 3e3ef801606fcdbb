/** Packages inside a bundle, with the texts of their licences. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Not an npm package. */
const SQLITE = {
  name: 'SQLite',
  version: '',
  license: 'blessing',
  text: 'In the public domain: https://sqlite.org/copyright.html',
};

/**
 * @param root the project's folder
 * @param inputs paths of the bundled files
 * @param addon whether SQLite's addon is inside, with the packages that it was compiled with
 * @returns {name, version, license (from package.json), text} of each package, by name
 */
export function packagesIn(root, inputs, addon) {
  const names = new Set(
    inputs
      .map((input) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1])
      .filter(Boolean),
  );
  if (addon)
    for (const name of ['better-sqlite3', ...linkedInto(root, 'better-sqlite3')])
      names.add(name);
  const packages = [...names].sort().map((name) => {
    const folder = join(root, 'node_modules', name);
    const { version, license } = readPackage(folder);
    const files = readdirSync(folder).filter((entry) => isLicence(entry, inputs));
    const text = files
      .map((file) => readFileSync(join(folder, file), 'utf8').trim())
      .join('\n\n');
    return { name, version, license, text: text || license };
  });
  const all = [...packages, ...inputs.flatMap((input) => inlinedIn(root, input))];
  return addon ? [...all, SQLITE] : all;
}

/**
 * Packages inlined in a bundled file, from its bundler's comments. No installed package contains their licences: the texts are in
 * build/licences.
 */
function inlinedIn(root, input) {
  if (!input.includes('node_modules/@modelcontextprotocol/')) return [];
  const regions = readFileSync(join(root, input), 'utf8').matchAll(
    /#region \S*\/\.pnpm\/([^/@]+)@([\d.]+)\//g,
  );
  return [...new Map([...regions].map((region) => [region[1], region[2]]))].map(
    ([name, version]) => {
      const text = readFileSync(
        join(root, 'build', 'licences', `${name}@${version}.txt`),
        'utf8',
      ).trim();
      return { name, version, license: 'MIT', text };
    },
  );
}

/** A package's licence or notice, or the licences of a bundled file's own packages: swagger-ui-bundle.js.LICENSE.txt. */
function isLicence(entry, inputs) {
  const about = /^(.+)\.LICENSE\.txt$/.exec(entry)?.[1];
  return about === undefined
    ? /^(licen[cs]e|notice)/i.test(entry)
    : inputs.some((input) => input.endsWith(`/${about}`));
}

/** The dependencies of an addon are only the headers that it is compiled with. */
function linkedInto(root, name) {
  return Object.keys(readPackage(join(root, 'node_modules', name)).dependencies ?? {});
}

function readPackage(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** The texts as a comment for the end of a script. */
export function licenceComment(packages) {
  const texts = packages.map(({ name, version, text }) =>
    `${name} ${version}`
      .trim()
      .concat('\n\n', withPlainQuotes(text).replaceAll('*/', '* /')),
  );
  return `\n/*\nThis script contains the following packages.\n\n${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n*/\n`;
}

/** Typographic quotes are outside Latin-1, and would make Node store the script with two bytes per character. */
function withPlainQuotes(text) {
  return text.replaceAll(/[\u2018\u2019]/g, "'").replaceAll(/[\u201c\u201d]/g, '"');
}
