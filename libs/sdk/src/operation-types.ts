// SPDX-License-Identifier: Apache-2.0
import type { operations } from './generated/openapi.ts';

type Id = keyof operations;
type Json = { content: { 'application/json': unknown } };

/** Query parameters of an operation. */
export type Query<I extends Id> = NonNullable<operations[I]['parameters']['query']>;

/** What an operation takes; text where that is not JSON. */
export type Body<I extends Id> =
  NonNullable<operations[I]['requestBody']> extends infer Taken extends Json
    ? Taken['content']['application/json']
    : string;

/** What an operation answers when all went well; void for 204. */
export type Answer<I extends Id> = OfStatus<operations[I]['responses'], 200 | 201 | 202>;

type OfStatus<Responses, Status> =
  Extract<Responses[keyof Responses & Status], Json> extends infer Given extends Json
    ? Given['content']['application/json']
    : void;

/** The answer of a list. */
export type Page<I extends Id> =
  Answer<I> extends infer Given extends {
    items: readonly unknown[];
    meta: { next_cursor?: string };
  }
    ? Given
    : never;
