// SPDX-License-Identifier: Apache-2.0
import type { components } from '@chainwatch/sdk';
import { queryOptions } from '@tanstack/react-query';
import { api, bodyOf } from './client.ts';
import type { Transaction } from './queries.ts';

export type Proof = components['schemas']['Proof'];

/** A node reads a whole block for it: it is asked for once, and again on request alone. */
export const proofQuery = ({ chain_gid, hash, block_hash }: Transaction) =>
  queryOptions({
    queryKey: ['proof', chain_gid, hash, block_hash],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/transactions/{chain_gid}/{hash}/proof', { params: { path: { chain_gid, hash } }, signal }),
      ),
    staleTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
