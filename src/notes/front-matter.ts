/** Splits a note into its YAML properties at the top and the text below. */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  Scalar,
} from 'yaml';
import { RowError } from '../errors.ts';

/** The value of a property: a scalar with its source text, a list, or an object. */
export type Property = Scalar | Property[] | { [name: string]: Property };

export interface FrontMatter {
  /** By name, in lower case with _ for spaces and dashes. */
  properties: Map<string, Property>;
  /** The same names as written. */
  names: Map<string, string>;
  /** Lines of the properties, and the first of the body. */
  lines: Map<string, number>;
  line: number;
  /** The text below, without the empty lines around it. */
  body: string;
}

const FRONT =
  /^\ufeff?(# [^\n]{0,300}\n(?:[ \t]{0,80}\r?\n){0,9})?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

/** @throws RowError if the properties aren't valid YAML */
export function readFrontMatter(text: string): FrontMatter {
  const found = FRONT.exec(text);
  const [all = '', title, yaml = ''] =
    found && (found[1] === undefined || areProperties(found[2])) ? found : [];
  // Lines of the body keep their numbers.
  const heading =
    title === undefined
      ? ''
      : title + '\n'.repeat(all.split('\n').length - title.split('\n').length);
  const below = heading + text.slice(all.length).replace(/^\ufeff/, '');
  const body = below.replace(/^(?:[ \t]*\r?\n)+/, '');
  const line =
    title === undefined ? text.slice(0, text.length - body.length).split('\n').length : 1;
  const { properties, names, lines } = propertiesIn(yaml, title?.split('\n').length ?? 1);

  return { properties, names, lines, line, body: body.trimEnd() };
}

/** Whether lines between two rules, below a heading, are properties rather than text. */
function areProperties(yaml = ''): boolean {
  return yaml
    .split('\n')
    .every((line) =>
      /^(?:[\p{L}_][^:]{0,60}:(?:\s.*)?|\s.*|- .*|#.*)?$/u.test(line.slice(0, 2000)),
    );
}

/**
 * A whole line, with or without a bullet and a bold name; or in brackets within a line.
 */
const INLINE =
  /^[ \t]*(?:[-*+][ \t]+(?:\[.\][ \t]+)?)?[*_]{0,2}(?<name>\p{L}[\p{L}\p{N} _.-]{0,60}?)[*_]{0,2}::[ \t]+(?<value>\S.*)$|[[(](?<inner>\p{L}[\p{L}\p{N} _.-]{0,60}?)::(?<what>(?:\[\[[^[\]\n]{1,200}\]\]|[^[\]()\n]){1,500})[\])]/gmu;

/**
 * Inline fields as in Dataview and Logseq: setup:: Breakout, [symbol:: SPY]. They remain
 * in the text too.
 * @param names receives the names as written
 * @returns by name; repeated fields as a list
 */
export function inlineFields(
  body: string,
  names: Map<string, string>,
): Map<string, Property> {
  const found = new Map<string, Scalar[]>();
  for (const { groups } of withoutCode(body).matchAll(INLINE)) {
    const written = groups?.['name'] ?? groups?.['inner'] ?? '';
    const name = plainName(written);
    if (!names.has(name)) names.set(name, written);
    const values = found.get(name) ?? [];
    values.push(scalarOf((groups?.['value'] ?? groups?.['what'] ?? '').trim()));
    found.set(name, values);
  }

  return new Map(
    [...found].map(([name, values]) => [
      name,
      values.length === 1 ? (values[0] as Scalar) : values,
    ]),
  );
}

function scalarOf(text: string): Scalar {
  const scalar = new Scalar(typedIn(text));
  scalar.source = text;
  return scalar;
}

function typedIn(text: string): number | boolean | string {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return /^(true|false)$/.test(text) ? text === 'true' : text;
}

function withoutCode(text: string): string {
  return text.replaceAll(/```[\s\S]*?(?:```|$)|`[^`\n]*`/g, ' ');
}

/** #words of a text, except in code, addresses and headings, and except numbers. */
export function tagsIn(text: string): string[] {
  const found = [...withoutCode(text).matchAll(/(?<=^|\s)#([\p{L}\p{N}_/-]+)/gu)].map(
    ([, tag = '']) => tag,
  );
  return [...new Set(found.filter((tag) => !/^\d+$/.test(tag)))];
}

const LINK = /^\[\[(?:[^\]|#]*\/)?([^\]|#/]+)(?:#[^\]|]*)?(?:\|[^\]]*)?\]\]$/;

/**
 * A property with each link replaced by the name of its note. Without quotation marks,
 * YAML reads [[SPY]] as a list within a list.
 */
export function withoutLinks(property: Property): Property {
  if (isScalar(property)) {
    const name = LINK.exec(textIn(property)?.trim() ?? '')?.[1];
    return name === undefined ? property : scalarOf(name.replace(/\.md$/i, ''));
  }
  if (!Array.isArray(property)) return property;

  const [inner, ...more] = property;
  if (
    more.length === 0 &&
    Array.isArray(inner) &&
    inner.length === 1 &&
    isScalar(inner[0])
  )
    return inner[0];

  return property.map(withoutLinks);
}

/** @param line of the --- above */
function propertiesIn(
  yaml: string,
  line: number,
): Pick<FrontMatter, 'properties' | 'names' | 'lines'> {
  if (yaml.length > MOST_CHARACTERS) {
    throw new RowError(
      null,
      `the properties have more than ${MOST_CHARACTERS} characters`,
      2,
    );
  }

  const counter = new LineCounter();
  // The library's own check for unique names compares every pair, and its pretty errors
  // count lines again for each.
  const document = parseDocument(yaml, {
    lineCounter: counter,
    schema: 'core',
    uniqueKeys: false,
    prettyErrors: false,
  });
  const [error] = document.errors;
  if (error?.code === 'RESOURCE_EXHAUSTION') throw tooDeep();

  const lineAt = (offset: number) => counter.linePos(offset).line + line;
  if (error) {
    throw new RowError(
      null,
      `the properties are not valid YAML: ${error.message.split('\n')[0]}`,
      lineAt(error.pos[0]),
    );
  }

  const { contents } = document;
  const known = new Reader(lineAt).read(contents);
  const isNothing = isScalar(known) && known.value === null;
  if (!isNothing && !isNames(known))
    throw new RowError(
      null,
      'the properties must be names with values, such as date: 2026-11-20',
      2,
    );

  const keys = isMap(contents) ? contents.items.map(({ key }) => key) : [];
  return {
    properties: new Map(
      Object.entries(isNothing ? {} : known).map(([name, value]) => [
        plainName(name),
        value,
      ]),
    ),
    names: new Map(keys.map((key) => [plainName(nameOf(key)), nameOf(key)])),
    lines: new Map(keys.map((key) => [plainName(nameOf(key)), lineOf(key, lineAt)])),
  };
}

function lineOf(key: unknown, lineAt: (offset: number) => number): number {
  const at = isScalar(key) ? key.range?.[0] : undefined;
  return at === undefined ? 2 : lineAt(at);
}

/** Went well, went-well and went_well are equal. */
function plainName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}

/**
 * Ten times what real notes need. They also end YAML aliases that refer to themselves.
 */
const MOST_CHARACTERS = 1_000_000;
const MOST_NODES = 10_000;
const DEEPEST = 20;

function tooDeep(): RowError {
  return new RowError(null, `the properties are more than ${DEEPEST} deep`, 2);
}

class Reader {
  readonly #lineAt: (offset: number) => number;
  /** Nodes by their anchor, which precedes its aliases. */
  readonly #anchors = new Map<string, Node>();
  #nodes = 0;

  constructor(lineAt: (offset: number) => number) {
    this.#lineAt = lineAt;
  }

  /** @param node null for a name without a value, as in "? a" */
  read(node: Node | null, depth = 0): Property {
    if (depth > DEEPEST) throw tooDeep();
    if (++this.#nodes > MOST_NODES)
      throw new RowError(null, `the properties hold more than ${MOST_NODES} values`, 2);
    if (node === null) return new Scalar(null);
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (!target)
        throw new RowError(
          null,
          `the properties use *${node.source} without its anchor; add &${node.source}`,
          2,
        );
      return this.read(target, depth + 1);
    }

    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isSeq(node))
      return node.items.map((item) => this.read(item as Node | null, depth + 1));
    if (isMap(node)) {
      const properties = new Map<string, Property>();
      for (const { key, value } of node.items) {
        const name = nameOf(key);
        if (properties.has(name)) {
          throw new RowError(
            null,
            `the properties have "${name}" twice; keep one`,
            lineOf(key, this.#lineAt),
          );
        }

        properties.set(name, this.read(value as Node | null, depth + 1));
      }
      return Object.fromEntries(properties);
    }

    return node;
  }
}

function nameOf(key: unknown): string {
  return isScalar(key) ? String(key.source ?? key.value) : '';
}

export function isNames(property: Property): property is { [name: string]: Property } {
  return !isScalar(property) && !Array.isArray(property);
}

/** The source text of a scalar, such as 007. Undefined for a list or an object. */
export function textIn(property: Property | undefined): string | undefined {
  if (!isScalar(property)) return undefined;
  return typeof property.value === 'string'
    ? property.value
    : (property.source ?? String(property.value ?? ''));
}
