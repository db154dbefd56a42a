// SPDX-License-Identifier: Apache-2.0
import { PROBLEM_KINDS, type ProblemCode } from '@chainwatch/common/problem';
import type { OpenApiDocument } from '../../../../apps/api-gateway/src/openapi/build-document.ts';
import { fence, table } from '../markdown.ts';
import type { Page } from '../page.ts';
import { PROBLEM_TEXTS } from './problem-texts.ts';

const CODES = Object.keys(PROBLEM_KINDS) as ProblemCode[];
/** More of them would say nothing. */
const OPERATIONS_MAX = 40;

/** A page for each type of problem, at the path of its URI, and one over all. */
export function writeProblems(document: OpenApiDocument): Page[] {
  return [writeOverview(), ...CODES.map((code) => writeProblem(code, document))];
}

function writeProblem(code: ProblemCode, { components, paths }: OpenApiDocument): Page {
  const { status, title, path, base, detail, retryable } = PROBLEM_KINDS[code];
  const { means, todo } = PROBLEM_TEXTS[code];
  const name = title.replaceAll(' ', '');
  const described = components.responses[name] as
    | { readonly content: Readonly<Record<string, { readonly example: unknown }>> }
    | undefined;
  const example = described && Object.values(described.content)[0]!.example;
  const operations = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .filter(({ responses }) => String(status) in responses);
  const text = [
    `# ${status} ${title}`,
    `\`{${base === 'docsUrl' ? 'docs_url' : 'api_host'}}${path}\``,
    `> ${detail}`,
    ...means,
    '## What to do',
    todo.map((line) => `- ${line}`).join('\n'),
    retryable ? 'The same request may succeed later.' : 'Repeating the same request does not help.',
    ...(example === undefined ? [] : ['## Example', fence('json', JSON.stringify(example, undefined, 2))]),
    ...(operations.length === 0 || operations.length > OPERATIONS_MAX
      ? []
      : [
          '## Operations',
          operations
            .map(
              ({ operationId, summary, tags }) => `- [${summary}](/reference/api/${tags[0]}#${operationId})`,
            )
            .join('\n'),
        ]),
  ].join('\n\n');
  return { path: `${path.slice(1)}.md`, text: `${text}\n` };
}

function writeOverview(): Page {
  const rows = CODES.map((code) => {
    const { status, title, path, retryable, detail } = PROBLEM_KINDS[code];
    return [String(status), `[${title}](${path})`, detail, retryable ? 'yes' : 'no'];
  });
  const text = [
    '# Errors',
    'Every error of the platform API is `application/problem+json` ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)): `type`, `title`, `status`, and mostly `detail`, `instance` and `fields`. Use `type` or `status` in programs, not the texts, which may change.',
    table(['Status', 'Problem', 'Meaning', 'May succeed later'], rows),
    '`type` begins with `DOCS_URL` or `API_HOST` of the installation ([variables](/guides/configuration#variables)). If these are the URL of the gateway, `https://api.example.com/docs` and `https://api.example.com`, each type is the URL of its page here.',
    'Errors of the RPC gateway itself have the body `{"error": "…"}` ([which statuses](/guides/rpc-gateway#what-the-gateway-answers-itself)); all other errors come from the node.',
    '## Retries',
    'GET and DELETE may be repeated, a POST with the same `Idempotency-Key`. After a 5xx, wait 1 s, 2 s, 4 s, and so on, at most 30 s, plus up to 500 ms at random, at most five times. After 429, wait until `X-RateLimit-Reset`. [The SDK](/repository/libs/sdk/#retries) does that.',
  ].join('\n\n');
  return { path: 'reference/errors.md', text };
}
