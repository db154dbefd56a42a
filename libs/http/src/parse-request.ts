import type { Request } from 'express';
import type { z } from 'zod';
import { fieldsFromZodError, invalidRequest } from '@chainwatch/problem';
import type { FieldsOptions, ProblemField } from '@chainwatch/problem';
import type { RouteSchemas } from './route.ts';

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
export function parseRequest(schemas: RouteSchemas, req: Request, hasLargeBody = false): ParsedRequest {
  const fields: ProblemField[] = [];
  const params = parsePart(schemas.params, req.params, fields, { input: req.params });
  const query = parseQuery(schemas.query, req, fields);
  // Without the input, because a body may hold secrets that no answer may repeat.
  const body = hasLargeBody ? undefined : parseBody(schemas.body, req.body, fields);
  const headers = parsePart(schemas.headers, req.headers, fields, { input: req.headers });
  if (fields.length > 0) throw invalidRequest(fields);
  return { params, query, body, headers };
}

function parseBody(schema: z.ZodType | undefined, body: unknown, fields: ProblemField[]): unknown {
  return schema ? parsePart(schema, body, fields) : refuseBody(body, fields);
}

function parsePart(
  schema: z.ZodType | undefined,
  value: unknown,
  fields: ProblemField[],
  options: FieldsOptions = {},
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
  if (schema) return parsePart(schema, query, fields, { input: query });
  for (const name of Object.keys(query)) fields.push({ name, reason: 'expected no such query parameter' });
  return undefined;
}

function refuseBody(body: unknown, fields: ProblemField[]): undefined {
  const isEmpty =
    body === undefined ||
    (typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0);
  if (!isEmpty) fields.push({ name: 'body', reason: 'expected no body' });
}
