// SPDX-License-Identifier: Apache-2.0
/**
 * Client of the chainwatch API, and what a receiver of its webhooks needs. It imports nothing of Node, and of the
 * workspace nothing at all: it is published.
 *
 * @example
 * const chainwatch = createClient({ baseUrl: 'https://api.example.com/v1', apiKey });
 * for await (const event of chainwatch.events.stream({ after: 0 })) console.log(event.type, event.position);
 */
import { unwrap } from './webhooks/unwrap.ts';

export { createClient, type Chainwatch } from './create-client.ts';
export type { ClientOptions, RequestOptions } from './call-operation.ts';
export {
  ChainwatchError,
  ConnectionError,
  ProblemError,
  readProblem,
  SignatureError,
  type ProblemCode,
  type SignatureRefusal,
} from './errors.ts';
export type { Pages } from './pages.ts';
export type {
  Address,
  ChainwatchEvent,
  EventItem,
  EventOf,
  EventType,
  NotificationChannel,
  StreamedEvent,
  Transaction,
} from './event-types.ts';
export type { PollQuery, StreamQuery } from './events/events.ts';
export type { HeadersLike, UnwrapOptions } from './webhooks/unwrap.ts';
export type { components, operations, paths } from './generated/openapi.ts';

export const webhooks = { unwrap };
