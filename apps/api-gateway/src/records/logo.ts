// SPDX-License-Identifier: Apache-2.0
import type { Network } from '@chainwatch/chain-core';

/** Where a client reaches the gateway, without a slash at the end. @param origin where it asked */
export function baseOf(
  origin: string,
  { settings: { publicUrl = origin } }: { readonly settings: { readonly publicUrl?: string | undefined } },
): string {
  return publicUrl.replace(/\/+$/, '');
}

/** URL of a network's logo: the one of its document, or the file of the gateway. */
export function logoOf({ imageUrl, name }: Pick<Network, 'imageUrl' | 'name'>, base: string): string {
  return imageUrl ?? `${base}${logoPathOf(name)}`;
}

export const logoPathOf = (name: string): string => `/logos/${name}.svg`;

/** A record whose logo is a path of the gateway, with its URL. */
export function withLogo<R extends { readonly image_url: string | null }>(record: R, base: string): R {
  return record.image_url?.startsWith('/') === true
    ? { ...record, image_url: `${base}${record.image_url}` }
    : record;
}
