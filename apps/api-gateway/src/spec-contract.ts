import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonSchema } from '@chainwatch/http';
import { buildDocument } from './openapi/build-document.ts';
import { operations } from './route-table.ts';

/** An answer as it went over the wire. */
interface Answer {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly mediaType: string | undefined;
  readonly body: string;
}

const document = buildDocument(operations, { version: '0.0.0', namespaceLabel: 'svc' });
const ajv = new Ajv2020({ strict: false, validateSchema: false });
addFormats.default(ajv);
const validators = new Map<object, ValidateFunction>();
/** What a request can end with before its path and its method count. */
const atTheDoor = [400, 401, 404, 405, 413, 415, 429, 500, 503];

const templates = Object.entries(document.paths)
  .map(([template, item]) => ({ item, template, pattern: new RegExp(`^/v1${template.replace(/\{\w+\}/g, '[^/]+')}/?$`) }))
  .sort((a, b) => a.template.split('{').length - b.template.split('{').length);

/** Passes requests on, and tells of every answer that is not as the OpenAPI document says. */
export function watchAnswers(app: RequestListener, onBreach: (breach: string) => void): RequestListener {
  return (req, res) => {
    // Express rewrites the URL while it routes.
    const path = (req.url ?? '').split('?', 1)[0]!;
    const end = res.end.bind(res) as (...args: unknown[]) => ServerResponse;
    res.end = ((chunk?: unknown, ...rest: unknown[]) => {
      const breach = findBreach(toAnswer(req, res, path, chunk));
      if (breach !== undefined) onBreach(breach);
      return end(chunk, ...rest);
    }) as typeof res.end;
    app(req, res);
  };
}

function toAnswer(req: IncomingMessage, res: ServerResponse, path: string, chunk: unknown): Answer {
  const body = typeof chunk === 'string' || Buffer.isBuffer(chunk) ? chunk.toString() : '';
  return { method: (req.method ?? '').toLowerCase(), path, status: res.statusCode, mediaType: String(res.getHeader('content-type') ?? '').split(';', 1)[0] || undefined, body };
}

/** What of an answer the document does not say; undefined when it says all of it. */
export function findBreach(answer: Answer): string | undefined {
  const { method, path, status } = answer;
  if (status < 400 && (path === '/openapi.json' || path === '/docs')) return undefined;
  if (method === 'options' && status === 204) return undefined;
  const item = templates.find(({ pattern }) => pattern.test(path))?.item;
  const operation = item?.[method === 'head' ? 'get' : method];
  const name = `${method.toUpperCase()} ${path}: ${status}`;
  const response = operation ? operation.responses[status] : atTheDoor.includes(status) ? { $ref: '#/components/responses/NotFound' } : undefined;
  if (!response) return `${name} is not in the document`;
  if (method === 'head') return undefined;
  const content = (resolve(response).content ?? {}) as Record<string, { schema: JsonSchema }>;
  const [[mediaType, schema] = []] = Object.entries(content).map(([type, one]) => [type, one.schema] as const);
  if (answer.mediaType !== mediaType) return `${name}: expected ${mediaType ?? 'no body'}, got ${answer.mediaType ?? 'none'}`;
  if (!schema) return answer.body === '' ? undefined : `${name}: expected no body`;
  const validate = validatorOf(schema);
  return validate(JSON.parse(answer.body)) ? undefined : `${name}: ${ajv.errorsText(validate.errors)}\n${answer.body.slice(0, 1_000)}`;
}

function resolve(response: JsonSchema): JsonSchema {
  const name = typeof response.$ref === 'string' ? response.$ref.split('/').at(-1)! : undefined;
  return name === undefined ? response : document.components.responses[name]!;
}

function validatorOf(schema: JsonSchema): ValidateFunction {
  const known = validators.get(schema);
  if (known) return known;
  const validate = ajv.compile(close({ ...schema, components: { schemas: document.components.schemas } }) as JsonSchema);
  validators.set(schema, validate);
  return validate;
}

/** Clients take members that they do not know; a spec does not. */
function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== 'object' || value === null) return value;
  const closed = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, close(inner)]));
  return 'properties' in closed && !('additionalProperties' in closed) ? { ...closed, additionalProperties: false } : closed;
}
