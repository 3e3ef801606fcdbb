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
    const { version, license } = readPackage(folder);
    const files = readdirSync(folder).filter((entry) => isLicence(entry, inputs));
    const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
    return { name, version, license, text: text || license };
  });
  const all = [...packages, ...inputs.flatMap((input) => inlinedIn(root, input))];
  return addon ? [...all, SQLITE] : all;
}

/**
 * Packages that a file was itself bundled from, as the comments of its bundler name them. Their licences come with no package of ours: the
 * texts are in build/licences.
 */
function inlinedIn(root, input) {
  if (!input.includes('node_modules/@modelcontextprotocol/')) return [];
  const regions = readFileSync(join(root, input), 'utf8').matchAll(/#region \S*\/\.pnpm\/([^/@]+)@([\d.]+)\//g);
  return [...new Map([...regions].map((region) => [region[1], region[2]]))].map(([name, version]) => {
    const text = readFileSync(join(root, 'build', 'licences', `${name}@${version}.txt`), 'utf8').trim();
    return { name, version, license: 'MIT', text };
  });
}

/** A package's licence or notice, or what a file that it was bundled into says of others: swagger-ui-bundle.js.LICENSE.txt. */
function isLicence(entry, inputs) {
  const about = /^(.+)\.LICENSE\.txt$/.exec(entry)?.[1];
  return about === undefined
    ? /^(licen[cs]e|notice)/i.test(entry)
    : inputs.some((input) => input.endsWith(`/${about}`));
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
    `${name} ${version}`.trim().concat('\n\n', withPlainQuotes(text).replaceAll('*/', '* /')),
  );
  return `\n/*\nThis script contains the following packages.\n\n${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n*/\n`;
}

/** Typographic quotes, being beyond Latin-1, would make Node keep the whole script at two bytes a character. */
function withPlainQuotes(text) {
  return text.replaceAll(/[\u2018\u2019]/g, "'").replaceAll(/[\u201c\u201d]/g, '"');
}
