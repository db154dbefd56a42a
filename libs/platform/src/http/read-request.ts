// SPDX-License-Identifier: Apache-2.0
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import express, { Router, type Request, type RequestHandler } from 'express';
import type { z } from 'zod';
import {
  ProblemError,
  contentTooLarge,
  fieldsFromZodError,
  invalidRequest,
  unsupportedMediaType,
  type FieldsOptions,
  type ProblemField,
} from '@chainwatch/common/problem';
import { findBodyFault, findInexactNumbers, findTextFault, type BodyFault } from './find-body-fault.ts';
import type { RouteSchemas } from './route.ts';

const MAX_URL_LENGTH = 8_192;

/** Refuses URLs that cannot be decoded or carry null bytes, before the router trips over them. */
export function checkUrl(): RequestHandler {
  return (req, _res, next) => {
    // Without an escape there is nothing to decode: Node's parser passes only printable ASCII, and bytes that are
    // characters by themselves.
    if (req.originalUrl.length <= MAX_URL_LENGTH && !req.originalUrl.includes('%')) return next();
    const queryStart = req.originalUrl.indexOf('?');
    const path = queryStart < 0 ? req.originalUrl : req.originalUrl.slice(0, queryStart);
    const query = queryStart < 0 ? '' : req.originalUrl.slice(queryStart + 1);
    const reason =
      req.originalUrl.length > MAX_URL_LENGTH
        ? `expected a URL of at most ${MAX_URL_LENGTH} characters`
        : undefined;
    const pathReason = reason ?? findEncodingFault(path);
    if (pathReason !== undefined) return next(invalidRequest([{ name: 'path', reason: pathReason }]));
    const queryReason = findEncodingFault(query.replaceAll('+', ' '));
    if (queryReason !== undefined) return next(invalidRequest([{ name: 'query', reason: queryReason }]));
    next();
  };
}

function findEncodingFault(encoded: string): string | undefined {
  try {
    return findTextFault(decodeURIComponent(encoded));
  } catch {
    return 'expected percent-encoded UTF-8';
  }
}

export interface JsonBodyOptions {
  /** Largest body in bytes, after decompression. */
  readonly limitBytes: number;
}

/**
 * Parses JSON bodies: 415 for another media type, 413 over the limit, 400 for a body that is not JSON or cannot be
 * stored.
 */
export function jsonBody(options: JsonBodyOptions): RequestHandler {
  const json = express.json({ limit: options.limitBytes, strict: false, type: () => true, verify: keepText });
  const parse: RequestHandler = (req, res, next) =>
    json(req, res, (error?: unknown) =>
      next(error === undefined ? undefined : toProblem(error, options.limitBytes)),
    );
  const readBody = Router().use(requireJson, parse, checkBody);
  return (req, res, next) => {
    // By `jsonBytes` or `streamBody`.
    const isRead = req.body !== undefined;
    return announcesBody(req.headers) && !isRead ? readBody(req, res, next) : next();
  };
}

/** Reads JSON bodies as bytes, for handlers that parse them elsewhere: 415 for another media type, 413 over the limit. */
export function jsonBytes(options: JsonBodyOptions): RequestHandler {
  const raw = express.raw({ limit: options.limitBytes, type: () => true });
  const read: RequestHandler = (req, res, next) =>
    raw(req, res, (error?: unknown) => {
      if (error !== undefined) return next(toProblem(error, options.limitBytes));
      req.body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
      next();
    });
  return Router().use(requireJson, read);
}

/** A list of items in a body, of which each stands for itself. */
interface ItemsBody {
  readonly body: unknown;
  /** Why an item cannot be used, by its place. */
  readonly faults: ReadonlyMap<number, BodyFault>;
}

/**
 * Parses what `jsonBytes` read, with the checks of `jsonBody`. What is wrong within an item of the list is told of that
 * item alone. @throws ProblemError 400
 */
export function parseItemsBytes(bytes: Uint8Array, list: string): ItemsBody {
  const fault = (reason: string): ProblemError => invalidRequest([{ name: 'body', reason }]);
  if (bytes.length === 0) throw fault('expected JSON, got nothing');
  let text: string;
  let body: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    body = JSON.parse(text);
  } catch {
    throw fault('expected JSON');
  }
  const { [list]: given, ...others } = Object(body) as Record<string, unknown>;
  const items = Array.isArray(given) ? given : [];
  const found = findBodyFault(items === given ? others : body);
  if (found !== undefined) throw invalidRequest([found]);
  const faults = new Map<number, BodyFault>();
  for (const [place, item] of items.entries()) {
    const itemFault = findBodyFault(item);
    if (itemFault === undefined) continue;
    const { name, reason } = itemFault;
    faults.set(place, { name: `${list}.${place}${name === 'body' ? '' : `.${name}`}`, reason });
  }
  for (const number of findInexactNumbers(text)) {
    const [first, place] = number.name.split('.');
    if (first !== list || place === undefined) throw invalidRequest([number]);
    if (!faults.has(Number(place))) faults.set(Number(place), number);
  }
  return { body, faults };
}

const requireJson: RequestHandler = (req, _res, next) => {
  if (isEmpty(req.headers)) return next();
  const mediaType = (req.headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    return next(unsupportedMediaType(req.headers['content-type']));
  }
  next();
};

/** The text of each body until it is checked, because parsing does not keep every number exactly. */
const texts = new WeakMap<IncomingMessage, string>();

function keepText(req: IncomingMessage, _res: ServerResponse, bytes: Buffer): void {
  texts.set(req, bytes.toString('utf8'));
}

const checkBody: RequestHandler = (req, _res, next) => {
  const text = texts.get(req);
  texts.delete(req);
  const fault = findBodyFault(req.body) ?? (text === undefined ? undefined : findInexactNumbers(text)[0]);
  next(fault === undefined ? undefined : invalidRequest([fault]));
};

function announcesBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

function isEmpty(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] === '0' && headers['transfer-encoding'] === undefined;
}

// body-parser's errors carry `type` (https://github.com/expressjs/body-parser#errors).
function toProblem(error: unknown, limitBytes: number): unknown {
  const type = typeof error === 'object' && error !== null && 'type' in error ? error.type : undefined;
  switch (type) {
    case 'entity.too.large':
      return contentTooLarge(limitBytes);
    case 'encoding.unsupported':
      return new ProblemError('unsupported_media_type', {
        detail: 'Expected the content encoding identity, gzip, deflate or br.',
      });
    case 'charset.unsupported':
      return new ProblemError('unsupported_media_type', { detail: 'Expected the charset UTF-8.' });
    case 'entity.parse.failed':
      return invalidRequest([{ name: 'body', reason: 'expected JSON' }]);
    default:
      break;
  }
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
  // Also the sender's fault: broken compression, a wrong length, an aborted upload.
  return typeof status === 'number' && status >= 400 && status < 500
    ? invalidRequest([{ name: 'body', reason: 'could not be read' }])
    : error;
}

interface ParsedRequest {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly headers: unknown;
}

/**
 * Parses path, query and body together, so that one answer names every fault. A query or body without a schema must be
 * empty. A large body is left to the handler.
 * @throws ProblemError 400 with `fields`
 */
export function parseRequest(schemas: RouteSchemas, req: Request, readsBytes = false): ParsedRequest {
  const fields: ProblemField[] = [];
  const params = parsePart(schemas.params, { value: req.params, fields, options: { input: req.params } });
  const query = parseQuery(schemas.query, req, fields);
  // Without the input, because a body may hold secrets that no answer may repeat.
  const body = readsBytes ? undefined : parseBody(schemas.body, req.body, fields);
  const headers = parsePart(schemas.headers, { value: req.headers, fields, options: { input: req.headers } });
  if (fields.length > 0) throw invalidRequest(fields);
  return { params, query, body, headers };
}

function parseBody(schema: z.ZodType | undefined, body: unknown, fields: ProblemField[]): unknown {
  return schema ? parsePart(schema, { value: body, fields }) : refuseBody(body, fields);
}

function parsePart(
  schema: z.ZodType | undefined,
  {
    value,
    fields,
    options = {},
  }: { readonly value: unknown; readonly fields: ProblemField[]; readonly options?: FieldsOptions },
): unknown {
  if (!schema) return undefined;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  fields.push(...fieldsFromZodError(result.error, '', options));
  return undefined;
}

function parseQuery(schema: z.ZodType | undefined, req: Request, fields: ProblemField[]): unknown {
  // Read once, because Express parses the query at each access.
  const query = req.url.includes('?') ? req.query : {};
  if (schema) {
    const value = foldLists(schema, query);
    return parsePart(schema, { value, fields, options: { input: value } });
  }
  for (const name of Object.keys(query)) fields.push({ name, reason: 'expected no such query parameter' });
  return undefined;
}

function refuseBody(body: unknown, fields: ProblemField[]): undefined {
  const isEmpty =
    body === undefined ||
    (typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0);
  if (!isEmpty) fields.push({ name: 'body', reason: 'expected no body' });
}

type Query = Readonly<Record<string, unknown>>;

const INDEXED = /^([^[\]]+)\[\d*\]$/;

/**
 * The query with `ids[]=a` and `ids[0]=a` under `ids`, for parameters that are lists: axios, PHP, Rails and qs send them
 * so. Every other name stays as it came, for the schema to refuse.
 */
export function foldLists(schema: z.ZodType, query: Query): Query {
  const names = Object.keys(query);
  if (!names.some((name) => name.endsWith(']'))) return query;
  const lists = listNames(schema);
  const folded = new Map<string, unknown>();
  for (const [name, value] of names.map((each) => [each, query[each]] as const)) {
    const listName = INDEXED.exec(name)?.[1];
    const key = listName !== undefined && lists.has(listName) ? listName : name;
    folded.set(key, folded.has(key) ? [folded.get(key), value].flat() : value);
  }
  return Object.fromEntries(folded);
}

/** The parameters of a query that are lists (`listParameter`). */
function listNames(schema: z.ZodType): ReadonlySet<string> {
  const { def } = unwrap(schema)._zod as {
    def: { type: string; shape?: Readonly<Record<string, z.ZodType>> };
  };
  const members = Object.entries(def.shape ?? {});
  return new Set(
    members.filter(([, member]) => unwrap(member)._zod.def.type === 'array').map(([name]) => name),
  );
}

/** Below what converts the value and what lets it be absent. */
function unwrap(schema: z.ZodType): z.ZodType {
  const { def } = schema._zod as { def: { type: string; out?: z.ZodType; innerType?: z.ZodType } };
  const inner = def.type === 'pipe' ? def.out : def.innerType;
  return inner === undefined ? schema : unwrap(inner);
}
