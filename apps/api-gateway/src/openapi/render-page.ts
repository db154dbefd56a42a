import { createHash } from 'node:crypto';
import type { JsonSchema } from '@chainwatch/http';
import type { OpenApiDocument } from './build-document.ts';
import type { Operation } from './describe-operation.ts';
import { Html, fromMarkdown, html } from './html.ts';
import { PAGE_STYLE } from './page-style.ts';

/** For `style-src`, which then allows only the page's own style. */
export const styleHash = `sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}`;

interface Entry {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Pick<Operation, 'summary' | 'description' | 'responses' | 'requestBody'> & {
    readonly parameters: readonly JsonSchema[];
  };
}

/** The document as one page of plain HTML, without a script. */
export function renderPage(document: OpenApiDocument): string {
  const groups = groupEntries(document);
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${document.info.title}</title><style>${new Html(PAGE_STYLE)}</style></head>
<body>
<nav><p><strong>${document.info.title}</strong><br><span class="dim">${document.info.version}</span></p>${groups.map(renderIndex)}<p><a href="#schemas">Schemas</a></p></nav>
<main>
<h1>${document.info.title}</h1>
${fromMarkdown(document.info.description)}
<p>The same for machines: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
${groups.map(renderGroup)}
<h2 id="schemas">Schemas</h2>
${Object.entries(document.components.schemas).map(renderSchema)}
</main>
</body>
</html>
`.text;
}

type Group = readonly [title: string, entries: readonly Entry[]];

function groupEntries({ tags, paths, webhooks }: OpenApiDocument): Group[] {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = tags.map(({ name }): Group => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return [
      name,
      own.map(({ path, method, operation }) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        operation: { ...operation, parameters: operation.parameters.map((parameter) => ({ ...parameter })) },
      })),
    ];
  });
  const events = Object.entries(webhooks).map(
    ([path, { post }]): Entry => ({ id: post.operationId, method: 'POST', path, operation: post }),
  );
  return [...groups, ['webhooks', events]];
}

function renderIndex([title, entries]: Group): Html {
  return html`<p class="dim">${title}</p><ul>${entries.map(({ id, method, path }) => html`<li><a href="#${id}">${method} ${path}</a></li>`)}</ul>`;
}

function renderGroup([title, entries]: Group): Html {
  return html`<h2>${title}</h2>${entries.map(renderEntry)}`;
}

function renderEntry({ id, method, path, operation }: Entry): Html {
  const { summary, description, parameters, requestBody, responses } = operation;
  const body = requestBody?.content['application/json'];
  return html`<details class="operation" id="${id}"><summary><span class="method">${method}</span> <code>${path}</code> <span class="dim">${summary}</span></summary>
${fromMarkdown(description)}
${parameters.length > 0 ? html`<h4>Parameters</h4><table><tr><th>Name</th><th>In</th><th>Value</th></tr>${parameters.map(renderParameter)}</table>` : undefined}
${body ? html`<h4>Body${requestBody?.required ? '' : ' (optional)'}</h4>${'example' in body ? renderJson(body.example) : undefined}${renderJson(body.schema)}` : undefined}
<h4>Responses</h4><table>${Object.entries(responses).map(renderResponse)}</table></details>
`;
}

function renderParameter({ name, in: place, required, description, schema }: JsonSchema): Html {
  return html`<tr><td><code>${String(name)}</code>${required ? ' *' : undefined}</td><td>${String(place)}</td><td>${description === undefined ? undefined : fromMarkdown(String(description))}<code>${JSON.stringify(schema)}</code></td></tr>`;
}

function renderResponse([status, response]: [string, JsonSchema]): Html {
  const reference = typeof response.$ref === 'string' ? response.$ref.split('/').at(-1)! : undefined;
  if (reference !== undefined)
    return html`<tr><td>${status}</td><td>${reference}: <a href="#schema-Problem">Problem</a></td></tr>`;
  const contents = Object.entries(
    (response.content ?? {}) as Record<string, { schema: JsonSchema; example: unknown }>,
  );
  return html`<tr><td>${status}</td><td>${String(response.description)}${contents.map(renderContent)}</td></tr>`;
}

function renderContent([type, { schema, example }]: [
  string,
  { readonly schema: JsonSchema; readonly example: unknown },
]): Html {
  return html`<p><code>${type}</code></p>${renderJson(example)}${renderJson(schema)}`;
}

function renderSchema([name, schema]: [string, JsonSchema]): Html {
  return html`<details class="operation" id="schema-${name}"><summary><code>${name}</code></summary>${renderJson(schema)}</details>
`;
}

/** Indented JSON, with references as links. */
function renderJson(value: unknown): Html {
  const { text } = html`${JSON.stringify(value, undefined, 2)}`;
  return html`<pre>${new Html(text.replace(/#\/components\/schemas\/(\w+)/g, '<a href="#schema-$1">$&</a>'))}</pre>`;
}
