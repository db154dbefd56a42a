// SPDX-License-Identifier: Apache-2.0
import { queryOptions } from '@tanstack/react-query';
import { readBeside } from './beside.ts';

/** The coin of a local chain, and how much of it is sent if nothing is said. */
export interface LocalCoin {
  readonly chain_gid: string;
  readonly symbol: string;
  readonly amount: string;
}

export const playgroundQuery = (url: string | null) =>
  queryOptions({
    queryKey: ['playground', url],
    queryFn: async () => (await readBeside<{ chains: readonly LocalCoin[] }>(`${url}/`)).chains,
    enabled: url !== null,
  });

/** An address of a key that nobody keeps. */
export async function makeAddress(url: string, chainGid: string): Promise<string> {
  return (await readBeside<{ address: string }>(`${url}/addresses`, { chain_gid: chainGid })).address;
}

/** Resolves to the hash of the transaction. */
export async function sendCoin(
  url: string,
  payment: { readonly chain_gid: string; readonly to: string; readonly amount: string },
): Promise<string> {
  return (await readBeside<{ hash: string }>(`${url}/payments`, payment)).hash;
}
