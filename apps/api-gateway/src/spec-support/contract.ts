// SPDX-License-Identifier: Apache-2.0
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** An answer as it was sent. */
export interface Answer {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

type Json = Readonly<Record<string, unknown>>;
type Described = Readonly<Record<string, Json>>;

/** The part of an OpenAPI document that answers are compared with. */
export interface ContractDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: Described }>>>>;
  readonly components: Readonly<Record<'schemas' | 'responses' | 'headers', Described>>;
}

/** Statuses that a request can end with before its route is known. */
const atTheDoor = [400, 401, 404, 405, 413, 415, 429, 500, 503];

/** Returns a function that says how an answer deviates from the document; undefined if it does not. */
export function createContract(document: ContractDocument): (answer: Answer) => string | undefined {
  const validatorOf = createValidators(document);
  const templates = Object.entries(document.paths)
    .map(([template, item]) => ({
      item,
      template,
      pattern: new RegExp(`^/v1${template.replace(/\{\w+\}/g, '[^/]+')}/?$`),
    }))
    .sort((a, b) => a.template.split('{').length - b.template.split('{').length);
  const findResponse = ({ method, path, status }: Answer): Json | undefined => {
    const operation = templates.find(({ pattern }) => pattern.test(path))?.item[
      method === 'head' ? 'get' : method
    ];
    const response = operation
      ? operation.responses[status]
      : atTheDoor.includes(status)
        ? document.components.responses.NotFound
        : undefined;
    return response && (follow(document, response) as Json);
  };
  return (answer) => {
    const { method, path, status } = answer;
    if (status < 400 && /^\/(?:open|async)api\.json$/.test(path)) return undefined;
    if (method === 'options' && status === 204) return undefined;
    const response = findResponse(answer);
    const fault = response
      ? (findHeaderFault(answer, response) ?? findBodyFault(answer, response))
      : 'is not in the document';
    return fault === undefined ? undefined : `${method.toUpperCase()} ${path}: ${status} ${fault}`;
  };

  function findHeaderFault({ headers }: Answer, response: Json): string | undefined {
    for (const [name, described] of Object.entries((response.headers ?? {}) as Described)) {
      const { required, schema } = follow(document, described) as { required?: boolean; schema: Json };
      const text = headers[name.toLowerCase()];
      if (text === undefined && required !== true) continue;
      const value = schema.type === 'integer' && /^\d+$/.test(String(text)) ? Number(text) : text;
      if (!validatorOf(schema)(value))
        return `${name}: expected ${JSON.stringify(schema)}, got ${String(text)}`;
    }
    return undefined;
  }

  function findBodyFault({ method, headers, body }: Answer, response: Json): string | undefined {
    if (method === 'head') return undefined;
    const content = (response.content ?? {}) as Record<string, { schema: Json }>;
    const mediaType = String(headers['content-type'] ?? '').split(';', 1)[0] || undefined;
    const types = Object.keys(content);
    const schema = mediaType === undefined ? undefined : content[mediaType]?.schema;
    if (mediaType === undefined ? types.length > 0 : schema === undefined)
      return `expected ${types.join(' or ') || 'no body'}, got ${mediaType ?? 'none'}`;
    if (!schema) return body === '' ? undefined : 'expected no body';
    // A stream has no end to wait for.
    if (!/[/+]json$/.test(mediaType ?? '')) return undefined;
    const validate = validatorOf(schema);
    return validate(JSON.parse(body))
      ? undefined
      : `${ajv.errorsText(validate.errors)}\n${body.slice(0, 1_000)}`;
  }
}

const ajv = new Ajv2020({ strict: false, validateSchema: false });
addFormats.default(ajv);

function createValidators(document: ContractDocument): (schema: Json) => ValidateFunction {
  const validators = new Map<Json, ValidateFunction>();
  return (schema) => {
    const known = validators.get(schema);
    if (known) return known;
    const validate = ajv.compile(
      close({ ...schema, components: { schemas: document.components.schemas } }) as Json,
    );
    validators.set(schema, validate);
    return validate;
  };
}

/** Resolves a reference; any other value is returned as it is. */
function follow({ components }: ContractDocument, value: Json): Json {
  const [, kind, name] = /^#\/components\/(\w+)\/(.+)$/.exec(String(value.$ref)) ?? [];
  return kind === undefined ? value : components[kind as 'responses'][name!]!;
}

/** Forbids undocumented members: clients ignore members that they do not know, a spec must not. */
function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== 'object' || value === null) return value;
  const closed = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, close(inner)]));
  return 'properties' in closed && !('additionalProperties' in closed)
    ? { ...closed, additionalProperties: false }
    : closed;
}
