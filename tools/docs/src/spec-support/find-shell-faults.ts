// SPDX-License-Identifier: Apache-2.0
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Command } from 'commander';
import { describeApi } from '../../../sdk/src/describe-api.ts';
import { readProgram } from '../reference/write-cli.ts';
import { findRepositoryFault, listMade } from './find-repository-faults.ts';
import { readShell } from './read-shell.ts';

const document = describeApi();
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'openapi.json');
const program = readProgram();

/** What is wrong with the commands of a shell script: names, flags, files, routes and bodies that are not there. */
export function findShellFaults(script: string): string[] {
  const commands = readShell(script);
  const made = listMade(commands);
  return commands.flatMap((words) => {
    const fault = findFault(words) ?? findRepositoryFault(words, made);
    return fault === undefined ? [] : [`${words.join(' ').slice(0, 120)}: ${fault}`];
  });
}

function findFault([name, ...words]: readonly string[]): string | undefined {
  if (name === 'curl') return findCurlFault(words);
  if (name === 'chainwatch') return findCliFault(words);
  if (name !== 'npx') return undefined;
  const [first, second, ...rest] = words;
  if (first === 'chainwatch') return 'expected npx --no-install';
  return first === '--no-install' && second === 'chainwatch' ? findCliFault(rest) : undefined;
}

/** `[--flag VALUE]` of a description counts as given. */
export function findCliFault(given: readonly string[]): string | undefined {
  const words = given.map((word) => word.replace(/^\[|\]$|…$/g, ''));
  let command: Command = program;
  let at = 0;
  for (; at < words.length; at += 1) {
    const below = command.commands.find((one) => one.name() === words[at]);
    if (below === undefined) break;
    command = below;
  }
  if (command.commands.length > 0 && words[at] !== undefined && !words[at]!.startsWith('-'))
    return `expected a command of ${command.name()}, got ${words[at]}`;
  const options = [...command.options, ...program.options];
  let values = 0;
  for (; at < words.length; at += 1) {
    const word = words[at]!;
    if (!word.startsWith('-')) {
      values += 1;
      continue;
    }
    const [flag] = word.split('=');
    if (flag === '--help') continue;
    const option = options.find(({ long, short }) => flag === long || flag === short);
    if (option === undefined) return `expected an option of ${command.name()}, got ${flag}`;
    if ((option.required || option.optional) && !given[at]!.endsWith(']') && !word.includes('=')) at += 1;
  }
  const { registeredArguments: expected } = command;
  if (values > expected.length && !expected.some(({ variadic }) => variadic))
    return `expected at most ${expected.length} arguments, got ${values}`;
  return undefined;
}

const WITH_VALUE = /^(?:-[XHdouw]|--(?:request|header|data|data-binary|output|user|max-time))$/;

interface Request {
  method: string | undefined;
  url: string | undefined;
  body: string | undefined;
}

function findCurlFault(words: readonly string[]): string | undefined {
  const request: Request = { method: undefined, url: undefined, body: undefined };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!;
    const value = WITH_VALUE.test(word) ? words[(at += 1)] : undefined;
    if (/^(?:-X|--request)$/.test(word)) request.method = value;
    else if (/^(?:-d|--data)$/.test(word)) request.body = value;
    // Of a file: a POST.
    else if (word === '--data-binary') request.method ??= 'POST';
    else if (value === undefined && !word.startsWith('-')) request.url ??= word;
  }
  const [, path] = /(?:\$\{?API\}?|\/v1)(\/[^\s]*)/.exec(request.url ?? '') ?? [];
  if (path === undefined) return undefined;
  return findRouteFault(request.method ?? (request.body === undefined ? 'GET' : 'POST'), path, request.body);
}

/** @param path below /v1, with its query */
export function findRouteFault(method: string, path: string, body?: string): string | undefined {
  const [pathname = '', query = ''] = path
    .replace(/^\/channels(?=\/|$)/, '/notification_channels')
    .split('?');
  const segments = pathname.replace(/\/$/, '').split('/');
  const candidates = Object.entries(document.paths).filter(([template]) =>
    fits(template.split('/'), segments),
  );
  const [template, item] =
    candidates
      .sort(([a], [b]) => a.split('{').length - b.split('{').length)
      .find(([, one]) => method.toLowerCase() in one) ?? [];
  const operation = item?.[method.toLowerCase()];
  if (template === undefined || operation === undefined) return `expected a route, got ${method} ${pathname}`;
  const names = query
    .split('&')
    .map((pair) => pair.split('=')[0]!)
    .filter(Boolean);
  const unknown = names.find(
    (name) =>
      !name.startsWith('metadata.') &&
      !operation.parameters.some((one) => one.in === 'query' && one.name === name),
  );
  if (unknown !== undefined) return `expected a parameter of ${method} ${template}, got ${unknown}`;
  return body === undefined ? undefined : findBodyFault(template, method.toLowerCase(), body);
}

/** What is no parameter has to be the same; the values of the page may be placeholders. */
function fits(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every(
      (part, index) => part.startsWith('{') || part === segments[index] || segments[index]!.startsWith('<'),
    )
  );
}

function findBodyFault(template: string, method: string, body: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return `expected JSON, got ${body}`;
  }
  const pointer = `openapi.json#/paths/${encodeURIComponent(template.replaceAll('/', '~1'))}/${method}/requestBody/content/application~1json/schema`;
  const validate: ValidateFunction | undefined = ajv.getSchema(pointer);
  if (validate === undefined) return `expected no body, got ${body}`;
  if (!/[$…]/.test(body)) return validate(value) ? undefined : ajv.errorsText(validate.errors);
  // What the shell or the reader puts in is not known: the names of members are.
  const { properties } = validate.schema as { readonly properties?: object };
  const unknown = Object.keys(value as object).find(
    (name) => properties !== undefined && !(name in properties),
  );
  return unknown === undefined ? undefined : `expected a member of the body, got ${unknown}`;
}
