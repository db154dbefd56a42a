// SPDX-License-Identifier: Apache-2.0
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { RequestHandler } from 'express';
import { apiDocument } from './make-record.ts';

/** What is asked for: members of the path by their names in the document, and the query. */
export interface Asked {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/** The body of a 200 by the operation's id; undefined: nothing fixed is there under this name. */
export type Answers = Readonly<Record<string, (asked: Asked) => unknown>>;

interface Operation {
  readonly id: string;
  readonly path: RegExp;
  readonly names: readonly string[];
  readonly schema: object | undefined;
}

/**
 * The API as its document describes it, with answers that never change. An answer that is not what the document says, and
 * a request that has none, are faults: fixed data does not go stale unnoticed.
 */
export class FixedApi {
  readonly faults: string[] = [];
  isSignedIn = true;
  readonly #answers: Answers;
  readonly #operations = listReads();
  readonly #ajv = new Ajv2020({ strict: false });

  constructor(answers: Answers) {
    this.#answers = answers;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(apiDocument, 'openapi.json');
  }

  readonly handler: RequestHandler = (req, res) => {
    if (!this.isSignedIn) return void res.status(401).json({ title: 'Unauthorized' });
    const url = new URL(req.originalUrl, 'http://fixed');
    const path = url.pathname.replace(/^\/v1/, '');
    if (path === '/events/stream')
      return void res.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
    const body = req.method === 'GET' ? this.#find(path, url.searchParams) : undefined;
    if (body !== undefined) return void res.json(body);
    this.faults.push(`expected a fixed answer to ${req.method} ${req.originalUrl}, got none`);
    res.status(404).json({ title: 'Not found' });
  };

  #find(path: string, query: URLSearchParams): unknown {
    const operation = this.#operations.find((one) => one.path.test(path));
    if (operation === undefined) return undefined;
    const values = operation.path.exec(path)!.slice(1).map(decodeURIComponent);
    const named = Object.fromEntries(operation.names.map((name, index) => [name, values[index]!]));
    const answer = this.#answers[operation.id]?.({ path: named, query });
    if (answer === undefined) return undefined;
    // What is sent is what is checked: members that are undefined are none.
    const body: unknown = JSON.parse(JSON.stringify(answer));
    if (operation.schema !== undefined && !this.#ajv.validate(operation.schema, body))
      this.faults.push(`${operation.id}: expected what the document says, got ${this.#ajv.errorsText()}`);
    return body;
  }
}

/** Operations that read; of two that fit a path the one with fewer variables is meant. */
function listReads(): Operation[] {
  return Object.entries(apiDocument.paths)
    .flatMap(([path, { get }]) => {
      if (get === undefined) return [];
      const { content } =
        (get.responses as Record<string, { content?: Record<string, { schema: object }> }>)['200'] ?? {};
      const schema = content?.['application/json']?.schema;
      return [
        {
          id: get.operationId,
          path: new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`),
          names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
          schema: schema && toOwnSchema(schema),
        },
      ];
    })
    .toSorted((one, other) => one.names.length - other.names.length);
}

/** References lead into the document. */
function toOwnSchema(schema: object): object {
  return JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components', '"openapi.json#/components'),
  ) as object;
}
