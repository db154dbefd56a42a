// SPDX-License-Identifier: Apache-2.0
import { listFamilies } from '@chainwatch/chain-registry';
import { findChannelKind } from '@chainwatch/channels';
import { CHANGE_REASONS, defaultEventTypes, EVENT_HINTS, EVENTS, VERIFICATIONS } from '@chainwatch/events';
import type { OpenApiDocument } from '../../../apps/api-gateway/src/openapi/build-document.ts';

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const HEADER = `/** Written by tools/sdk from the OpenAPI document, libs/events, and libs/chain-registry. Change those, not this file. */

/** Every type of event, in words. */
`;

/** Values for programs that show a choice: types of events, kinds of channels with what each needs to be created. */
export function writeCatalogue({ paths, components }: OpenApiDocument): string {
  const titles = Object.entries(EVENTS).map(([type, { title }]) => [type, title]);
  const kinds = Object.entries(paths).flatMap(([path, { post }]) => {
    const [, kind] = /^\/notification_channels\/(\w+)$/.exec(path) ?? [];
    const isChanged = `${path}/{notification_channel_id}` in paths;
    return kind === undefined || post === undefined || !isChanged
      ? []
      : [[kind, describeKind(kind, post, components)] as const];
  });
  return `${HEADER}export const EVENT_TITLES = ${toText(Object.fromEntries(titles))} as const;

/** When each is sent, in one sentence. */
export const EVENT_HINTS = ${toText(EVENT_HINTS)} as const;

/** Values of the filter \`verification\` of a channel. */
export const VERIFICATIONS = ${toText(VERIFICATIONS)} as const;

/** Values of the filter \`reasons\` of a channel. */
export const CHANGE_REASONS = ${toText(CHANGE_REASONS)} as const;

/** What a channel hears of payments where nothing is said. */
export const PAYMENT_EVENTS = ${toText(defaultEventTypes('payments'))} as const;

/** Every family of chains. */
export const CHAIN_FAMILIES = ${toText(listFamilies().map(({ name }) => name))} as const;

/**
 * Every kind of channel; \`fields\` are the members that its creation needs besides a name, \`members\` all that it takes,
 * \`default_events\` what it gets where none are named, \`takes_proofs\`: it has \`include_proof\`.
 */
export const CHANNEL_KINDS = ${toText(Object.fromEntries(kinds))} as const;
`;
}

function describeKind(
  kind: string,
  { summary, requestBody }: OpenApiDocument['paths'][string][string],
  { schemas }: OpenApiDocument['components'],
): object {
  const { $ref } = requestBody!.content['application/json']!.schema as { $ref: string };
  const { properties = {}, required = [] } = schemas[$ref.split('/').at(-1)!] as Schema;
  const fields = required
    .filter((name) => name !== 'name')
    .map((name) => {
      const { type, description } = properties[name]!;
      return { name, type, description };
    });
  return {
    summary,
    fields,
    members: Object.keys(properties).filter((name) => name !== 'name'),
    default_events: findChannelKind(kind)!.defaultEventTypes,
    takes_proofs: 'include_proof' in properties,
  };
}

function toText(value: object): string {
  return JSON.stringify(value, undefined, 2);
}
