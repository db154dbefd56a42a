// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import type { ChannelKind } from './channel-kind.ts';
import * as kinds from './kinds.ts';

/** Every kind of channel: the default first, the others by their names. */
export const CHANNEL_KINDS: readonly ChannelKind[] = Object.values(kinds).toSorted(
  (left, right) => Number(right.isDefault) - Number(left.isDefault),
);

const byKind = new Map(CHANNEL_KINDS.map((kind) => [kind.kind, kind]));

/** Undefined for a kind of a newer release. */
export function findChannelKind(kind: string): ChannelKind | undefined {
  return byKind.get(kind);
}

/** Errors after which no attempt can succeed until somebody changes something, and what to tell the customer then. */
export const FATAL_ERRORS: Readonly<Record<string, string>> = Object.assign(
  {},
  ...CHANNEL_KINDS.map(({ fatal }) => fatal),
);

/** Secrets in URLs and texts, which logs must not show. */
export const CHANNEL_SECRETS: readonly RegExp[] = CHANNEL_KINDS.flatMap(({ hides }) => hides);

/** Environment variables of the gateway and of the notifier that belong to kinds, as members of their schemas. */
export const channelEnvironment: Readonly<Record<never, z.ZodType>> = Object.assign(
  {},
  ...CHANNEL_KINDS.map(({ environment }) => environment),
);

/** The options that these variables set, by kind. */
export function channelOptionsOf(
  environment: Readonly<Record<string, unknown>>,
): Readonly<Record<string, object>> {
  return Object.fromEntries(CHANNEL_KINDS.map((kind) => [kind.kind, kind.optionsOf(environment)]));
}
