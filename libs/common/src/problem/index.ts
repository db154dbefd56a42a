// SPDX-License-Identifier: Apache-2.0
/**
 * Problem details (RFC 9457): errors with an answer for the client, and their documents. Used by the HTTP services.
 *
 * @example
 * throw notFound('No blockchain eip155:5.');
 * // in the one error middleware
 * res.status(problem.status).type(PROBLEM_CONTENT_TYPE).json(toProblemDocument(error, { docsUrl, apiHost, instance: req.path }));
 */
export { BaseError } from './base-error.ts';
export type { BaseErrorOptions } from './base-error.ts';
export { ProblemError } from './problem-error.ts';
export type { ProblemField, ProblemOptions } from './problem-error.ts';
export type { ProblemCode } from './problem-kinds.ts';
export { PROBLEM_KINDS } from './problem-kinds.ts';
export * from './problems.ts';
export { PROBLEM_CONTENT_TYPE, problemDocumentSchema, toProblemDocument } from './problem-document.ts';
export type { ProblemContext, ProblemDocument } from './problem-document.ts';
export { fieldsFromZodError } from './fields-from-zod-error.ts';
export type { FieldsOptions } from './fields-from-zod-error.ts';
