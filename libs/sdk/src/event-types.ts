// SPDX-License-Identifier: Apache-2.0
import type { components, operations } from './generated/openapi.ts';

type Schemas = components['schemas'];
type Item = operations['listEvents']['responses'][200]['content']['application/json']['items'][number];

/** An event as channels deliver it: a union by `type`. */
export type ChainwatchEvent = operations['getEvent']['responses'][200]['content']['application/json'];
/** An event with its place in the order of the project's events. */
export type EventItem = Item;
/** An event of a stream, which has its position already. */
export type StreamedEvent = Item & { readonly position: number };
export type EventType = ChainwatchEvent['type'];
/** The event of a type: `EventOf<'transaction.confirmed'>`. */
export type EventOf<Type extends EventType> = Extract<ChainwatchEvent, { type: Type }>;
export type Transaction = Schemas['Transaction'];
export type Address = Schemas['Address'];
export type NotificationChannel = Schemas['NotificationChannel'];
