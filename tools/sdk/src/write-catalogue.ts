import { listFamilies } from '@chainwatch/chain-registry';
import { defaultEventTypes, EVENTS } from '@chainwatch/events';
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
      : [[kind, describeKind(post, components)] as const];
  });
  return `${HEADER}export const EVENT_TITLES = ${toText(Object.fromEntries(titles))} as const;

/** What a channel hears of payments where nothing is said. */
export const PAYMENT_EVENTS = ${toText(defaultEventTypes('payments'))} as const;

/** Every family of chains. */
export const CHAIN_FAMILIES = ${toText(listFamilies().map(({ name }) => name))} as const;

/** Every kind of channel; \`fields\` are the members that its creation needs besides a name, \`takes_proofs\`: it has \`include_proof\`. */
export const CHANNEL_KINDS = ${toText(Object.fromEntries(kinds))} as const;
`;
}

function describeKind(
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
  return { summary, fields, takes_proofs: 'include_proof' in properties };
}

function toText(value: object): string {
  return JSON.stringify(value, undefined, 2);
}
