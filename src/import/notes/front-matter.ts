/** Splits a note into its YAML properties at the top and the text below. */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, Scalar } from 'yaml';
import { RowError } from '../../errors.ts';

/** The value of a property: a scalar with its source text, a list, or an object. */
export type Property = Scalar | Property[] | { [name: string]: Property };

export interface FrontMatter {
  /** By name, in lower case with _ for spaces and dashes. */
  properties: Map<string, Property>;
  /** The text below, without the empty lines around it. */
  body: string;
}

const FRONT = /^\ufeff?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

/** @throws RowError if the properties aren't valid YAML */
export function readFrontMatter(text: string): FrontMatter {
  const match = FRONT.exec(text);
  const body = (match ? text.slice(match[0].length) : text).replace(/^\ufeff/, '');
  return { properties: match ? propertiesIn(match[1] ?? '') : new Map(), body: withoutEmptyEnds(body) };
}

/** A whole line, with or without a bullet and a bold name; or in brackets within a line. */
const INLINE =
  /^[ \t]*(?:[-*+][ \t]+(?:\[.\][ \t]+)?)?[*_]{0,2}(?<name>\p{L}[\p{L}\p{N} _.-]{0,60}?)[*_]{0,2}::[ \t]+(?<value>\S.*)$|[[(](?<inner>\p{L}[\p{L}\p{N} _.-]{0,60}?)::(?<what>(?:\[\[[^[\]\n]{1,200}\]\]|[^[\]()\n]){1,500})[\])]/gmu;

/**
 * Inline fields as in Dataview and Logseq: setup:: Breakout, [symbol:: SPY]. They remain in the text too.
 * @returns by name; repeated fields as a list
 */
export function inlineFields(body: string): Map<string, Property> {
  const found = new Map<string, Scalar[]>();
  for (const { groups } of withoutCode(body).matchAll(INLINE)) {
    const name = plainName(groups?.['name'] ?? groups?.['inner'] ?? '');
    found.set(name, [...(found.get(name) ?? []), scalarOf((groups?.['value'] ?? groups?.['what'] ?? '').trim())]);
  }
  return new Map([...found].map(([name, own]) => [name, own.length === 1 ? (own[0] as Scalar) : own]));
}

function scalarOf(text: string): Scalar {
  const isNumber = /^-?\d+(\.\d+)?$/.test(text);
  const scalar = new Scalar(isNumber ? Number(text) : /^(true|false)$/.test(text) ? text === 'true' : text);
  scalar.source = text;
  return scalar;
}

export function withoutCode(text: string): string {
  return text.replaceAll(/```[\s\S]*?(?:```|$)|`[^`\n]*`/g, ' ');
}

const LINK = /^\[\[(?:[^\]|#]*\/)?([^\]|#/]+)(?:#[^\]|]*)?(?:\|[^\]]*)?\]\]$/;

/**
 * A property with each link replaced by the name of its note. Without quotation marks, YAML reads [[SPY]] as a list within
 * a list.
 */
export function withoutLinks(property: Property): Property {
  if (isScalar(property)) {
    const name = LINK.exec(textIn(property)?.trim() ?? '')?.[1];
    return name === undefined ? property : scalarOf(name.replace(/\.md$/i, ''));
  }
  if (!Array.isArray(property)) return property;
  const [inner, ...more] = property;
  if (more.length === 0 && Array.isArray(inner) && inner.length === 1 && isScalar(inner[0])) return inner[0];
  return property.map(withoutLinks);
}

/** Text without empty lines at its start and white space at its end. */
function withoutEmptyEnds(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd();
}

function propertiesIn(yaml: string): Map<string, Property> {
  if (yaml.length > MOST_CHARACTERS) {
    throw new RowError(null, `the properties have more than ${MOST_CHARACTERS} characters`, 2);
  }
  const lines = new LineCounter();
  // The library's own check for unique names compares every pair.
  const document = parseDocument(yaml, { lineCounter: lines, schema: 'core', uniqueKeys: false });
  const [error] = document.errors;
  if (error?.code === 'RESOURCE_EXHAUSTION') throw tooDeep();
  if (error) {
    const reason = error.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '');
    throw new RowError(null, `the properties are not valid YAML: ${reason}`, lines.linePos(error.pos[0]).line + 1);
  }
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return new Map();
  const known = new Reader(document, lines).read(contents as Node);
  if (!isNames(known))
    throw new RowError(null, 'the properties must be names with values, such as date: 2026-11-20', 2);
  return new Map(Object.entries(known).map(([name, value]) => [plainName(name), value]));
}

/** Went well, went-well and went_well are equal. */
function plainName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}

/** Ten times what real notes need. They also end YAML aliases that refer to themselves. */
const MOST_CHARACTERS = 1_000_000;
const MOST_NODES = 10_000;
const DEEPEST = 20;

function tooDeep(): RowError {
  return new RowError(null, `the properties are more than ${DEEPEST} deep`, 2);
}

class Reader {
  readonly #document: Document;
  readonly #lines: LineCounter;
  #nodes = 0;

  constructor(document: Document, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  /** @param node null for a name without a value, as in "? a" */
  read(node: Node | null, depth = 0): Property {
    if (depth > DEEPEST) throw tooDeep();
    if (++this.#nodes > MOST_NODES) throw new RowError(null, `the properties hold more than ${MOST_NODES} values`, 2);
    if (node === null) return new Scalar(null);
    if (isAlias(node)) {
      const target = node.resolve(this.#document);
      if (!target)
        throw new RowError(null, `the properties use *${node.source} without its anchor; add &${node.source}`, 2);
      return this.read(target, depth + 1);
    }
    if (isSeq(node)) return node.items.map((item) => this.read(item as Node | null, depth + 1));
    if (isMap(node)) {
      const properties = new Map<string, Property>();
      for (const { key, value } of node.items) {
        const name = nameOf(key);
        if (properties.has(name)) throw this.#twice(name, key);
        properties.set(name, this.read(value as Node | null, depth + 1));
      }
      return Object.fromEntries(properties);
    }
    return node as Scalar;
  }

  #twice(name: string, key: unknown): RowError {
    const at = isScalar(key) ? key.range?.[0] : undefined;
    const line = at === undefined ? 2 : this.#lines.linePos(at).line + 1;
    return new RowError(null, `the properties have "${name}" twice; keep one`, line);
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
  return typeof property.value === 'string' ? property.value : (property.source ?? String(property.value ?? ''));
}
