// SPDX-License-Identifier: Apache-2.0
import { PROBLEM_KINDS } from '@chainwatch/common/problem';
import type { JsonSchema } from '@chainwatch/platform/http';
import type { OpenApiDocument } from '../../../../apps/api-gateway/src/openapi/build-document.ts';
import { findTextType, listMethods, type SdkMethod } from '../../../sdk/src/write-operations.ts';
import { fence, table } from '../markdown.ts';
import type { Page } from '../page.ts';
import { defaultOf, describeMembers, describeType, linkSchema } from './describe-schema.ts';
import { writeSamples } from './write-samples.ts';

type Operation = OpenApiDocument['paths'][string][string];
type Content = Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: unknown }>>;

const FOLDER = 'reference/api';
/** They come from any request; the first page says so once. */
const OF_EVERY_REQUEST = ['400', '401', '405', '413', '415', '429', '500', '503'];

/** A page for each tag of the document, one for its schemas, and the first, which says what the samples stand on. */
export function writeApi(document: OpenApiDocument): Page[] {
  const methods = listMethods(document);
  const tags = listTags(document, methods);
  const pages = tags.map(({ name, description }): Page => {
    const own = methods.filter(({ tag }) => tag === name).map((one) => writeOperation(one, document));
    const text = [`# ${titleOfTag(name)} {#operations}`, description, ...own].join('\n\n');
    return { path: `${FOLDER}/${name}.md`, text };
  });
  return [writeFirst(document, tags), ...pages, writeSchemas(document)];
}

/** Webhooks are operations of others: the page of events has them. */
function listTags({ tags }: OpenApiDocument, methods: readonly SdkMethod[]): OpenApiDocument['tags'] {
  return tags.filter(({ name }) => methods.some(({ tag }) => tag === name));
}

function titleOfTag(tag: string): string {
  return tag.replace(/^./, (letter) => letter.toUpperCase()).replaceAll('_', ' ');
}

function writeOperation(entry: SdkMethod, { components: { schemas } }: OpenApiDocument): string {
  const { method, path, operation } = entry;
  const { summary, operationId, description, parameters, requestBody, responses } = operation;
  const body = requestBody?.content['application/json'];
  const texts = Object.entries(requestBody?.content ?? {}).filter(([type]) => type !== 'application/json');
  return [
    `## ${summary} {#${operationId}}`,
    `\`${method} /v1${path}\``,
    description,
    ...(parameters.length > 0 ? [writeParameters(parameters)] : []),
    ...(body
      ? [
          `**Body**${requestBody!.required ? '' : ' (optional)'}`,
          describeMembers(findSchema(body.schema, schemas)),
        ]
      : []),
    ...texts.map(([type, { schema }]) => `**Body** \`${type}\`: ${schema.description}`),
    writeSamples(toCall(entry)),
    ...Object.entries(responses).flatMap(([status, response]) => writeAnswer(status, response, schemas)),
    writeProblems(Object.keys(responses)),
  ].join('\n\n');
}

function writeParameters(parameters: Operation['parameters']): string {
  const rows = parameters.map(({ name, in: place, required, description, schema }) => [
    `\`${name}\`${required ? ' \\*' : ''}`,
    place,
    describeType(schema),
    [description, defaultOf(schema)].filter(Boolean).join(' '),
  ]);
  return table(['Parameter', 'In', 'Type', 'Meaning'], rows);
}

function writeAnswer(status: string, response: JsonSchema, schemas: Schemas): string[] {
  if (!status.startsWith('2')) return [];
  const contents = Object.entries((response.content ?? {}) as Content);
  if (contents.length === 0) return [`**${status}**: ${String(response.description)}`];
  return contents.flatMap(([type, { schema, example }]) => {
    const isJson = type === 'application/json';
    const shown = isJson ? JSON.stringify(example, undefined, 2) : String(example ?? '');
    const title = `**${status}** \`${type}\`${isJson ? `: ${describeAnswer(schema, schemas)}` : ''}`;
    return shown === '' ? [title] : [title, fence(isJson ? 'json' : 'txt', shown)];
  });
}

/** A list is its items. */
function describeAnswer(schema: JsonSchema, schemas: Schemas): string {
  const { properties = {} } = findSchema(schema, schemas);
  const { items } = properties as { items?: { readonly items?: JsonSchema } };
  return items?.items === undefined ? describeType(schema) : `a list of ${describeType(items.items)}`;
}

type Schemas = OpenApiDocument['components']['schemas'];

/** What a reference leads to, with its alternatives. */
function findSchema(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1)! : undefined;
  const found = name === undefined ? schema : schemas[name]!;
  return Array.isArray(found.oneOf)
    ? { ...found, oneOf: found.oneOf.map((option: JsonSchema) => findSchema(option, schemas)) }
    : found;
}

function writeProblems(statuses: readonly string[]): string {
  const own = statuses.filter((status) => !status.startsWith('2') && !OF_EVERY_REQUEST.includes(status));
  const links = own.map((status) => {
    const kind = Object.values(PROBLEM_KINDS).find((one) => String(one.status) === status)!;
    return `[${status} ${kind.title}](${kind.path})`;
  });
  return `Problems: ${[...links, '[those of every request](/reference/errors)'].join(', ')}.`;
}

function toCall({ method, path, operation, name, isStream }: SdkMethod): Parameters<typeof writeSamples>[0] {
  const ids = operation.parameters.filter((parameter) => parameter.in === 'path');
  const required = operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  return {
    method,
    path: path.replace(/\{(\w+)\}/g, (_, id: string) => String(ids.find((one) => one.name === id)!.example)),
    query: isStream
      ? { after: 0 }
      : Object.fromEntries(required.map((one) => [one.name, one.example ?? 0] as const)),
    body: Object.values(operation.requestBody?.content ?? {})[0]?.example,
    textType: findTextType(operation),
    sdk: { name, ids: ids.map(({ example }) => example), isStream },
  };
}

function writeSchemas({ components }: OpenApiDocument): Page {
  const chapters = Object.entries(components.schemas).map(([name, schema]) =>
    [
      `## ${name} {#${name}}`,
      ...(typeof schema.description === 'string' ? [schema.description] : []),
      describeMembers(schema),
    ].join('\n\n'),
  );
  return {
    path: `${FOLDER}/schemas.md`,
    text: ['# Schemas', 'The records of the API. A member with a star is always there.', ...chapters].join(
      '\n\n',
    ),
  };
}

function writeFirst({ info }: OpenApiDocument, tags: OpenApiDocument['tags']): Page {
  const text = [
    '# API',
    info.description,
    `The same for machines: [openapi.json](/openapi.json){target="_self"} (OpenAPI 3.1), written from the schemas that check the requests, and [asyncapi.json](/asyncapi.json){target="_self"} (AsyncAPI 3.0) for events on NATS. Generators of clients take them as they are; operations marked \`x-internal\` are second paths of others, for them to leave out. Every request can meet the [problems](/reference/errors) 400, 401, 405, 413, 415, 429, 500 and 503. A problem is ${linkSchema('Problem')}.`,
    table(
      ['Operations', ''],
      tags.map(({ name, description }) => [`[${titleOfTag(name)}](/${FOLDER}/${name})`, description]),
    ),
    '## What the samples stand on',
    'Each operation has a sample in four languages. Set the address of the API and a key once:',
    '::: code-group',
    fence('sh [curl]', SHELL_SETUP),
    fence('ts [TypeScript]', TYPESCRIPT_SETUP),
    fence('python [Python]', PYTHON_SETUP),
    fence('go [Go]', GO_SETUP),
    ':::',
    "`read` takes the key typed or pasted: it stays out of the shell's history.",
    'The TypeScript samples use [the SDK](/repository/libs/sdk/). It sends a POST that was not answered again, under the same `Idempotency-Key`; in other languages that is for you.',
  ].join('\n\n');
  return { path: `${FOLDER}/index.md`, text };
}

const SHELL_SETUP = `API=https://api.example.com/v1
read -rs KEY`;

const TYPESCRIPT_SETUP = `import { createClient } from '@chainwatch/sdk';

const chainwatch = createClient({
  baseUrl: 'https://api.example.com/v1',
  apiKey: process.env.CHAINWATCH_API_KEY ?? '',
});`;

const PYTHON_SETUP = `import os
import requests

api = "https://api.example.com/v1"
session = requests.Session()
session.headers["X-Api-Key"] = os.environ["CHAINWATCH_API_KEY"]`;

const GO_SETUP = `package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

const api = "https://api.example.com/v1"

func call(method, path, body string) (string, error) {
	request, err := http.NewRequest(method, api+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("X-Api-Key", os.Getenv("CHAINWATCH_API_KEY"))
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 300 {
		err = fmt.Errorf("%s: %s", response.Status, answer)
	}
	return string(answer), err
}`;
