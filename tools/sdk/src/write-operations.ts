// SPDX-License-Identifier: Apache-2.0
import type { OpenApiDocument } from '../../../apps/api-gateway/src/openapi/build-document.ts';

type Operation = OpenApiDocument['paths'][string][string];
type Schema = Readonly<Record<string, unknown>>;

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Server-sent events have a client of their own, `libs/sdk/src/events`. */
const BY_HAND = ['streamEvents'];

const HEADER = `/** Written by tools/sdk from the OpenAPI document: one method per operation. Change the routes, not this file. */
import type { CallOperation, RequestOptions } from '../call-operation.ts';
import { Pages } from '../pages.ts';
import type { Answer, Body, Page, Query } from '../operation-types.ts';
`;

/** An operation as the SDK has it. */
export interface SdkMethod extends Entry {
  readonly tag: string;
  /** `addresses.createExternal` */
  readonly name: string;
  /** An async iterator that never ends. */
  readonly isStream: boolean;
}

/** Every operation, by hand or not. */
export function listMethods({ paths }: OpenApiDocument): SdkMethod[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]) => {
      const tag = operation.tags[0]!;
      const entry = { method: verb.toUpperCase(), path, operation };
      const isStream = BY_HAND.includes(operation.operationId);
      return { ...entry, tag, name: `${camel(tag)}.${nameOf(tag, entry)}`, isStream };
    }),
  );
}

/** The classes of operations, one for each tag of the document, and their factory. */
export function writeOperations(document: OpenApiDocument): string {
  const byTag = new Map<string, Entry[]>();
  for (const { tag, isStream, ...entry } of listMethods(document))
    if (!isStream) byTag.set(tag, [...(byTag.get(tag) ?? []), entry]);
  const classes = [...byTag].map(([tag, entries]) => writeClass(tag, entries));
  const members = [...byTag.keys()].map((tag) => `    ${camel(tag)}: new ${classOf(tag)}(call),`);
  return `${HEADER}
${classes.join('\n')}
export function createOperations(call: CallOperation) {
  return {
${members.join('\n')}
  };
}

export type Operations = ReturnType<typeof createOperations>;
`;
}

function writeClass(tag: string, entries: readonly Entry[]): string {
  const names = entries.map((entry) => nameOf(tag, entry));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`expected one operation named ${tag}.${twice}, got two`);
  return `/** Operations under \`${tag}\`. */
export class ${classOf(tag)} {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }
${entries.map((entry) => writeMethod(nameOf(tag, entry), entry)).join('')}}
`;
}

/** \`listAddresses\` of the tag \`addresses\` is \`list\`, \`createExternalAddress\` is \`createExternal\`. */
function nameOf(tag: string, { operation: { operationId } }: Entry): string {
  const plural = pascal(tag.replace(/^notification_/, ''));
  const singular = plural.replace(/ies$/, 'y').replace(/(?<=ss)es$|(?<!s)s$/, '');
  return operationId.replace(new RegExp(`(?:${plural}|${singular})(?=[A-Z]|$)`), '');
}

function writeMethod(name: string, { method, path, operation }: Entry): string {
  const { operationId: id, parameters, requestBody } = operation;
  const text = findTextType(operation);
  const ids = parameters.filter((parameter) => parameter.in === 'path');
  const queries = parameters.filter((parameter) => parameter.in === 'query');
  const isList = queries.some((parameter) => parameter.name === 'cursor');
  const queryMark = queries.some(({ required }) => required) ? '' : '?';
  const args = [
    ...ids.map((parameter) => `${camel(parameter.name)}: ${typeOf(parameter.schema)}`),
    ...(requestBody ? [`body${requestBody.required ? '' : '?'}: Body<'${id}'>`] : []),
    ...(queries.length > 0 ? [`query${queryMark}: Query<'${id}'>`] : []),
    'options?: RequestOptions',
  ];
  const call = [
    `method: '${method}'`,
    `path: '${path}'`,
    ...(ids.length > 0
      ? [`params: { ${ids.map((one) => `${one.name}: ${camel(one.name)}`).join(', ')} }`]
      : []),
    ...(queries.length > 0 ? [isList ? 'query: asked' : 'query'] : []),
    ...(requestBody ? ['body'] : []),
    ...(answersDocument(operation) ? ['isDocument: true'] : []),
    ...(text === undefined ? [] : [`contentType: '${text}'`]),
    'options',
  ].join(', ');
  const answer = answersDocument(operation) ? 'ReadableStream<Uint8Array>' : `Answer<'${id}'>`;
  const result = isList ? `Pages<Page<'${id}'>>` : `Promise<${answer}>`;
  const send = `this.#call({ ${call} })`;
  return `
${writeDocstring(method, path, operation)}
  ${name}(${args.join(', ')}): ${result} {
    return ${isList ? `new Pages(query, (asked) => ${send})` : send};
  }
`;
}

/** Its answer is no JSON. */
function answersDocument({ responses }: Operation): boolean {
  const content = (responses['200'] as { readonly content?: object } | undefined)?.content;
  return content !== undefined && !('application/json' in content);
}

/** The media type of a body that is text. */
export function findTextType({ requestBody }: Operation): string | undefined {
  const [type] = Object.keys(requestBody?.content ?? {});
  return type === 'application/json' ? undefined : type;
}

function writeDocstring(method: string, path: string, { summary, description }: Operation): string {
  return ['  /**', `   * ${summary}.`, '   *', `   * ${description} \`${method} ${path}\``, '   */'].join(
    '\n',
  );
}

function typeOf({ type }: Schema): string {
  return type === 'integer' ? 'number' : 'string';
}

function classOf(tag: string): string {
  return `${pascal(tag)
    .replace(/ies$/, 'y')
    .replace(/(?<=ss)es$|(?<!s)s$/, '')}Operations`;
}

function camel(text: string): string {
  return text.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function pascal(text: string): string {
  return camel(`_${text}`);
}
