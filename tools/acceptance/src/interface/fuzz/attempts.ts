// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { nearlyValid, type JsonSchema, type Vocabulary } from './arbitraries.ts';
import { hostileJson, hostileText, rarely, spoilBody } from './hostile.ts';

export interface Operation {
  readonly security: readonly { readonly ApiKey: readonly string[] }[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json'?: { readonly schema: JsonSchema } };
  };
  readonly responses: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A request as it goes over the wire. */
export interface Attempt {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

/** Keys by what is the matter with them; the ones under `valid` may do all that keys of their type may. */
export interface Keys {
  readonly valid: Readonly<Record<'api' | 'mgt', string>>;
  readonly others: readonly (string | undefined)[];
}

/** Requests for one operation: most of them nearly right, so that they come past the first check. */
export function attemptsFor(
  method: string,
  {
    path,
    operation,
    words,
    keys,
  }: {
    readonly path: string;
    readonly operation: Operation;
    readonly words: Vocabulary;
    readonly keys: Keys;
  },
): fc.Arbitrary<Attempt> {
  const { parameters, requestBody, security } = operation;
  const own = security[0]?.ApiKey[0]?.startsWith('mgt:') ? keys.valid.mgt : keys.valid.api;
  const schema = requestBody?.content['application/json']?.schema;
  return fc
    .record({
      path: parameterValues(parameters, 'path', words),
      query: parameterValues(parameters, 'query', words),
      extraQuery: rarely(hostileQuery),
      otherPath: rarely(otherPath, 40),
      otherMethod: rarely(fc.constantFrom('PUT', 'HEAD', 'OPTIONS', 'TRACE', 'PATCH', 'PROPFIND'), 40),
      key: fc.oneof(
        { weight: 14, arbitrary: fc.constant(own) },
        { weight: 1, arbitrary: fc.constantFrom(...keys.others, keys.valid.api, keys.valid.mgt) },
      ),
      body: schema
        ? fc.oneof(
            { weight: 25, arbitrary: nearlyValid(schema, '', words) },
            { weight: 1, arbitrary: hostileJson },
          )
        : rarely(hostileJson),
      spoil: spoilBody,
      headers: hostileHeaders,
      client: fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((bytes) => `10.${bytes.join('.')}`),
    })
    .map(({ key, body, spoil, headers, client, ...asked }) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      return {
        method: asked.otherMethod ?? method.toUpperCase(),
        target: toTarget(path, asked),
        headers: {
          'x-forwarded-for': client,
          ...(key !== undefined && { 'x-api-key': key }),
          ...(text !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: text === undefined ? undefined : (spoil?.(text) ?? text),
      };
    });
}

function parameterValues(
  parameters: Operation['parameters'],
  place: string,
  words: Vocabulary,
): fc.Arbitrary<Value[]> {
  return fc
    .tuple(
      ...parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name, schema, required }) =>
          fc
            .tuple(fc.nat({ max: 29 }), nearlyValid(schema, name, words), fc.boolean())
            .map(([dice, value, isJoined]) => (required || dice < 8 ? [{ name, value, isJoined }] : [])),
        ),
    )
    .map((values) => values.flat());
}

const hostileQuery: fc.Arbitrary<string> = fc.oneof(
  hostileText.map((text) => `${encode(text)}=1`),
  fc.constantFrom(
    'limit[]=1',
    'limit[a]=1',
    'limit=1&limit=2',
    '&&=&',
    '%',
    'page=%C3%28',
    'search=%00',
    'sort_by',
    '=',
    '?',
    'sort_by=name;drop',
    'a=b&'.repeat(1_500),
  ),
);

const otherPath: fc.Arbitrary<(path: string) => string> = fc.constantFrom<(path: string) => string>(
  (text) => `${text}/`,
  (text) => `${text}//`,
  (text) => text.toUpperCase(),
  (text) => `/${text}`,
  (text) => `${text}%`,
  (text) => `${text}/../x`,
  (text) => `${text}\u00e9`,
  (text) => `${text};x=1`,
  (text) => `${text}/x`,
  (text) => text.replace('/v1', '/v2'),
);

const hostileHeaders: fc.Arbitrary<Record<string, string>> = fc
  .record({
    'content-type': rarely(
      fc.constantFrom(
        'text/plain',
        'application/json; charset=latin1',
        'application/json;charset=utf-8',
        'multipart/form-data',
        '',
        'application/x-www-form-urlencoded',
        'application/problem+json',
        'APPLICATION/JSON',
        'application/json, text/plain',
      ),
    ),
    'content-encoding': rarely(fc.constantFrom('gzip', 'br', 'identity', 'nonsense', 'gzip, gzip'), 60),
    'transfer-encoding': rarely(fc.constant('chunked')),
    'idempotency-key': rarely(fc.constantFrom('a', 'b', '', ' ', 'x'.repeat(255), 'x'.repeat(256), '\u00e9')),
    'x-request-id': rarely(
      fc.constantFrom('mine', '', 'x'.repeat(500), '\u00e9', '"', '<b>', 'a b', '{"a":1}'),
    ),
    accept: rarely(
      fc.constantFrom('text/html', '*/*', 'application/xml', 'application/json;q=0', '\u00ff', ''),
    ),
    origin: rarely(fc.constantFrom('https://evil.example', 'null', '\u00e9')),
    'x-http-method-override': rarely(fc.constant('DELETE')),
    'if-none-match': rarely(fc.constant('*')),
    range: rarely(fc.constant('bytes=0-1')),
    expect: rarely(fc.constant('100-continue'), 80),
  })
  .map((headers) =>
    Object.fromEntries(
      Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  );

interface Asked {
  readonly path: readonly Value[];
  readonly query: readonly Value[];
  readonly extraQuery: string | undefined;
  readonly otherPath: ((path: string) => string) | undefined;
}
interface Value {
  readonly name: string;
  readonly value: unknown;
  /** A list goes as one parameter with commas. */
  readonly isJoined: boolean;
}

function toTarget(template: string, { path, query, extraQuery, otherPath }: Asked): string {
  const values = new Map(path.map(({ name, value }) => [name, value]));
  const filled = `/v1${template.replace(/\{(\w+)\}/g, (_, name: string) => encode(values.get(name)))}`;
  const pairs = query.flatMap(({ name, value, isJoined }) => {
    if (!Array.isArray(value)) return [`${name}=${encode(value)}`];
    return isJoined
      ? [`${name}=${value.map(encode).join(',')}`]
      : value.map((entry) => `${name}=${encode(entry)}`);
  });
  const search = [...pairs, ...(extraQuery === undefined ? [] : [extraQuery])].join('&');
  return `${otherPath?.(filled) ?? filled}${search === '' ? '' : `?${search}`}`;
}

/** Percent-encoded, except for what is broken percent-encoding itself: that is sent as it is. */
function encode(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return /^%[0-9a-z]{0,2}(%[0-9a-z]{2})?$/i.test(text)
    ? text
    : encodeURIComponent(Buffer.from(text).toString()).slice(0, 6_000);
}
