// SPDX-License-Identifier: Apache-2.0
import { keptForever, keptWhileMoving, type FamilyRpc } from '@chainwatch/chain-core';

export const toyRpc: FamilyRpc = {
  methods: {
    locked: /^toy_stop$/,
    send: /^toy_send$/,
    once: /^toy_mine$/,
    read: /^toy_(chain|head|block|balance)$/,
  },
  createCacheRules: (pace) =>
    new Map([
      ['toy_chain', keptForever],
      ['toy_head', keptWhileMoving(pace)],
    ]),
  blockReaders: new Map(),
  judgeError: () => 'answer',
  transactions: {
    viewOf: () => undefined,
    isUnknown: (reply) => reply.includes('"result":null'),
    broadcasts: /^toy_send$/,
  },
  readHealth: async (ask, network) => {
    const [chain, head] = await Promise.all([ask('toy_chain'), ask('toy_head')]);
    return {
      isRightChain: typeof chain === 'string' ? chain === network.reference : undefined,
      head: typeof head === 'number' ? { number: head, hash: `${head}`, final: undefined } : undefined,
    };
  },
  probe: 'toy_head',
};
