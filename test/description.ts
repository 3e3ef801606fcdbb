/** Compares responses with the API description: status, media type and body, without undescribed fields. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { openApi } from '../src/http/openapi.ts';
import { ROUTES } from '../src/http/routes.ts';

type Json = any;

export const description: Json = openApi(ROUTES);

// Compiling takes a quarter of the time of optimised validators, which are hardly faster.
const ajv = new Ajv2020({
  strict: false,
  allErrors: false,
  inlineRefs: false,
  code: { optimize: false },
});
(addFormatsModule as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema(closed(structuredClone(description)), 'api');

/** The description allows additional fields; here, an undescribed one is an error. */
function closed(node: Json): Json {
  if (Array.isArray(node)) node.forEach(closed);
  else if (node !== null && typeof node === 'object') {
    if (node.type === 'object' && node.properties) node.additionalProperties ??= false;
    Object.values(node).forEach(closed);
  }
  return node;
}

/**
 * The error in a response; undefined if none.
 * @param isPartly whether the key hides some of the fields
 */
export function complaintAbout(
  url: string,
  method: string,
  status: number,
  type: string,
  body: unknown,
  isPartly = false,
): string | undefined {
  const path = url.replace(/\?.*$/, '');
  const template = Object.keys(description.paths).find((candidate) =>
    matches(candidate, path),
  );
  const operation = template && description.paths[template].get;
  const isProblem = status >= 400;
  if (!operation || status === 405)
    return isProblem ? checkProblem(status, type, method, body) : undefined;
  if (status === 204 || status === 304) return undefined;
  const declared = operation.responses[status];
  if (!declared) return `status ${status} is not described`;
  if (isProblem) return checkProblem(status, type, method, body);
  const media = type.replace(/;.*/, '');
  if (!declared.content[media] && !declared['x-tables']?.includes(media))
    return `media type ${type}`;
  if (method === 'HEAD' || media !== 'application/json') return undefined;
  const whole = declared.content['application/json'].schema;
  const isSparse =
    /[?&]fields=/.test(url) &&
    operation.parameters?.some(({ name }: Json) => name === 'fields');
  if (isPartly) return check(partly(whole), body);
  return check(isSparse ? sparse(whole) : whole, body);
}

function checkProblem(
  status: number,
  type: string,
  method: string,
  body: unknown,
): string | undefined {
  if (type !== 'application/problem+json') return `media type ${type}`;
  if (method === 'HEAD') return undefined;
  const described = description.components.responses[`Error${status}`];
  if (!described) return `status ${status} is not described`;
  return check(described.content['application/problem+json'].schema, body);
}

const sparsePages = new Map<Json, Json>();

/** The schema of a page of records with only the requested fields, and id. */
function sparse(whole: Json): Json {
  let schema = sparsePages.get(whole);
  if (!schema) {
    const component = ({ $ref }: Json) =>
      description.components.schemas[$ref.split('/').at(-1)];
    const page = structuredClone(component(whole));
    page.properties.data.items = {
      ...component(page.properties.data.items),
      required: ['id'],
    };
    schema = closed(page);
    sparsePages.set(whole, schema);
  }
  return schema;
}

const partlyRequired = new Map<Json, Json>();

/** The schema of a response for a key that hides some fields: none is required. */
function partly(whole: Json): Json {
  let schema = partlyRequired.get(whole);
  if (!schema) {
    const inlined = (node: Json): Json => {
      if (Array.isArray(node)) return node.map(inlined);
      if (node === null || typeof node !== 'object') return node;
      if (typeof node.$ref === 'string')
        return inlined(description.components.schemas[node.$ref.split('/').at(-1)]);
      return Object.fromEntries(
        Object.entries(node).flatMap(([name, inner]) =>
          name === 'required' && Array.isArray(inner) ? [] : [[name, inlined(inner)]],
        ),
      );
    };
    schema = closed(inlined(whole));
    partlyRequired.set(whole, schema);
  }
  return schema;
}

const validators = new Map<Json, ValidateFunction>();

function check(schema: Json, body: unknown): string | undefined {
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(
      JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')),
    );
    validators.set(schema, validate);
  }
  return validate(body) ? undefined : ajv.errorsText(validate.errors);
}

function matches(template: string, path: string): boolean {
  const [a, b] = [template.split('/'), path.split('/')];
  return (
    a.length === b.length &&
    a.every((part, i) => part === b[i] || (part.startsWith('{') && b[i] !== ''))
  );
}
