// SPDX-License-Identifier: Apache-2.0
interface Concerned {
  readonly data?: {
    readonly address?: unknown;
    readonly addresses?: readonly { readonly address?: unknown }[];
    readonly chain_gid?: unknown;
    readonly transaction?: { readonly chain_gid?: unknown };
  };
}

/**
 * What events that must keep their order have in common: the address that the event concerns, the first one where it
 * concerns several; else its chain; else its type.
 */
export function eventKeyOf({
  payload,
  eventType,
}: {
  readonly payload: string;
  readonly eventType: string;
}): string {
  const { data } = JSON.parse(payload) as Concerned;
  for (const key of [
    data?.address,
    data?.addresses?.[0]?.address,
    data?.chain_gid,
    data?.transaction?.chain_gid,
  ])
    if (typeof key === 'string' && key !== '') return key;
  return eventType;
}
