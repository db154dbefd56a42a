// SPDX-License-Identifier: Apache-2.0
import type { ChainClient } from '@chainwatch/chain-core';
import { network } from './local-network.ts';

/** A node that answers what is given; being asked anything else is a fault of the service under test. */
export function createFakeClient(answers: Partial<ChainClient>): ChainClient {
  const refuse = (method: string) => (): never => {
    throw new Error(`the service is not to ask for ${method}`);
  };
  return {
    network,
    label: 'spec',
    verifyChain: async () => undefined,
    readHead: refuse('readHead'),
    findFinalized: refuse('findFinalized'),
    findHeaderByNumber: refuse('findHeaderByNumber'),
    findHeaderByHash: refuse('findHeaderByHash'),
    readHeaders: refuse('readHeaders'),
    readBlock: refuse('readBlock'),
    readBalances: refuse('readBalances'),
    close: () => undefined,
    ...answers,
  };
}
