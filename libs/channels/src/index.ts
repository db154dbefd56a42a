// SPDX-License-Identifier: Apache-2.0
/**
 * Kinds of notification channels: how one is configured, what of it is secret, how it is sent to. A kind is one object.
 * Used by the gateway (routes, records and documents of each kind) and by libs/deliveries, which sends.
 *
 * @example
 * const kind = findChannelKind('telegram')!;
 * const { config, credentials } = kind.change({ bot_token, chat_id });   // stored and shown; to be sealed
 * const sender = kind.createSender({ http, dial, userAgent }, {});
 * await sender.send({ target: kind.open(config, credentials, []), body: kind.render([payload]), ...rest });
 */
export type { AskContext, ChannelKind } from './channel-kind.ts';
export {
  CHANNEL_KINDS,
  CHANNEL_SECRETS,
  channelEnvironment,
  channelOptionsOf,
  FATAL_ERRORS,
  findChannelKind,
} from './channel-kinds.ts';
export {
  eventTypeSchema,
  groupNameSchema,
  selectionInput,
  storedSelectionSchema,
  type ChannelFilters,
} from './event-selection.ts';
export { assetsOf } from './messages/write-message.ts';
export type { NameBook, NamedNetwork, NamedToken } from './messages/name-book.ts';
export { eventKeyOf } from './broker/event-key.ts';
export type { Expression, Verdict } from './expression/compile-expression.ts';
export { loadExpressions } from './load-expressions.ts';
export { shapeInput } from './shape/shape-members.ts';
export { shapePayload, type Shape } from './shape/shape-payload.ts';
export { isUncounted, type Attempt, type RecordedRequest } from './attempt.ts';
export type { ChannelLimits, ChannelTarget, Sender, SenderContext } from './sender.ts';
