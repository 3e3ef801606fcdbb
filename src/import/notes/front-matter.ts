/** A note as its file has it: properties in YAML at the top, the text below. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
} from 'yaml';
import { RowError } from '../../journal-write/row-error.ts';

/** What a property says: a scalar, which knows how it was written, a list, or names with their own. */
export type Property = Scalar | Property[] | { [name: string]: Property };

export interface FrontMatter {
  /** By name, in small letters with _ for spaces and dashes. */
  properties: Map<string, Property>;
  /** The text below, without the empty lines around it. */
  body: string;
}

const FRONT = /^\ufeff?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;

/** @throws RowError where the properties are no YAML */
export function readFrontMatter(text: string): FrontMatter {
  const match = FRONT.exec(text);
  const body = (match ? text.slice(match[0].length) : text).replace(/^\ufeff/, '');
  return { properties: match ? propertiesIn(match[1] ?? '') : new Map(), body: withoutEmptyEnds(body) };
}

/** Empty lines before, and all space behind. */
function withoutEmptyEnds(text: string): string {
  return text.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd();
}

function propertiesIn(yaml: string): Map<string, Property> {
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, schema: 'core' });
  const [error] = document.errors;
  if (error) {
    const reason = error.message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '');
    throw new RowError(null, `the properties are no YAML: ${reason}`, lines.linePos(error.pos[0]).line + 1);
  }
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return new Map();
  const known = new Reader(document).read(contents as Node);
  if (!isNames(known))
    throw new RowError(null, 'the properties must be names with values, such as date: 2026-11-20', 2);
  return new Map(Object.entries(known).map(([name, value]) => [plainName(name), value]));
}

/** Went well, went-well and went_well are the same. */
function plainName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}

/** No note has a tenth of it, nor lies so deep: what names itself, as YAML can, would never end. */
const MOST_NODES = 10_000;
const DEEPEST = 20;

class Reader {
  readonly #document: Document;
  #nodes = 0;

  constructor(document: Document) {
    this.#document = document;
  }

  read(node: Node, depth = 0): Property {
    if (depth > DEEPEST) throw new RowError(null, `the properties are more than ${DEEPEST} deep`, 2);
    if (++this.#nodes > MOST_NODES) throw new RowError(null, `the properties hold more than ${MOST_NODES} values`, 2);
    if (isAlias(node)) {
      const target = node.resolve(this.#document);
      if (!target) throw new RowError(null, `the properties name *${node.source}, which isn't there`, 2);
      return this.read(target, depth + 1);
    }
    if (isSeq(node)) return node.items.map((item) => this.read(item as Node, depth + 1));
    if (isMap(node)) {
      const entries = node.items.map(({ key, value }) => [nameOf(key), this.read(value as Node, depth + 1)] as const);
      return Object.fromEntries(entries);
    }
    return node as Scalar;
  }
}

function nameOf(key: unknown): string {
  return isScalar(key) ? String(key.source ?? key.value) : '';
}

export function isNames(property: Property): property is { [name: string]: Property } {
  return !isScalar(property) && !Array.isArray(property);
}

/** What a scalar says as text: of 007 just that. Undefined for a list or names. */
export function textIn(property: Property | undefined): string | undefined {
  if (!isScalar(property)) return undefined;
  return typeof property.value === 'string' ? property.value : (property.source ?? String(property.value ?? ''));
}
