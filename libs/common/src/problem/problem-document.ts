// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { ProblemError } from './problem-error.ts';
import { PROBLEM_KINDS } from './problem-kinds.ts';
import { internalServerError } from './problems.ts';

export const PROBLEM_CONTENT_TYPE = 'application/problem+json';

/** The problem details object of interface.md (RFC 9457). */
export const problemDocumentSchema = z
  .object({
    type: z.string().meta({
      description: 'URI that names the kind of problem; look at it instead of at the texts.',
      examples: ['https://docs.example.com/apis/problems/invalid-request'],
    }),
    title: z
      .string()
      .meta({ description: 'The kind of problem in a few words.', examples: ['Invalid Request'] }),
    status: z
      .int()
      .min(400)
      .max(599)
      .meta({ description: 'The HTTP status.', examples: [400] }),
    detail: z
      .string()
      .optional()
      .meta({
        description: 'What was expected and what came, for people.',
        examples: ['limit: expected at most 100, got 500'],
      }),
    instance: z
      .string()
      .optional()
      .meta({ description: 'The path of the request.', examples: ['/v1/addresses'] }),
    fields: z
      .array(
        z.object({
          name: z.string().meta({
            description: 'Name or position of the invalid member in the request.',
            examples: ['limit'],
          }),
          reason: z.string().meta({
            description: 'What was expected and what came.',
            examples: ['expected at most 100, got 500'],
          }),
        }),
      )
      .optional()
      .meta({ description: 'Of a 400: what is wrong in which member, at most 100.' }),
    earliest_position: z
      .int()
      .min(0)
      .optional()
      .meta({
        description:
          'Of a 410: the `after` to go on with; no event in between is kept. Where that were very many, the next 410 names a later one.',
        examples: [18_000],
      }),
  })
  .meta({ id: 'Problem' });

export type ProblemDocument = z.infer<typeof problemDocumentSchema>;

export interface ProblemContext {
  /** Address of the documentation, scheme included: `https://docs.example.com`. */
  readonly docsUrl: string;
  /** Address of the API, scheme included: `https://svc.example.com`. */
  readonly apiHost: string;
  /** URI reference of this occurrence, usually the request's path. */
  readonly instance?: string;
}

/** Bounds the answer to a request with thousands of wrong values. */
const FIELDS_MAX = 100;

/** The body for any error. What is not a `ProblemError` becomes a 500 that tells nothing about itself. */
export function toProblemDocument(
  error: unknown,
  { docsUrl, apiHost, instance }: ProblemContext,
): ProblemDocument {
  const problem = error instanceof ProblemError ? error : internalServerError(error);
  const { base, path } = PROBLEM_KINDS[problem.code];
  return {
    type: `${trimSlashes(base === 'docsUrl' ? docsUrl : apiHost)}${path}`,
    title: problem.title,
    status: problem.status,
    detail: problem.publicMessage,
    ...(instance === undefined ? {} : { instance }),
    ...(problem.fields === undefined
      ? {}
      : { fields: problem.fields.slice(0, FIELDS_MAX).map((field) => ({ ...field })) }),
    ...(problem.earliestPosition === undefined ? {} : { earliest_position: problem.earliestPosition }),
  };
}

function trimSlashes(address: string): string {
  return address.replace(/\/+$/, '');
}
