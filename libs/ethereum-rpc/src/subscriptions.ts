import type { RpcSubscriptions } from '@chainwatch/chain-core';

const NUMBER = /^"0x[0-9a-f]{1,13}"$/i;

export const ethereumSubscriptions: RpcSubscriptions = {
  methods: /^eth_(un)?subscribe$/,
  idType: 'quantity',
  // As geth says it.
  unknownError: [-32000, 'subscription not found'],
  // A header's, or a log's.
  readNotifiedHead: (findMember) => {
    const text = findMember('number') ?? findMember('blockNumber');
    return text !== undefined && NUMBER.test(text) ? Number(text.slice(1, -1)) : undefined;
  },
};
