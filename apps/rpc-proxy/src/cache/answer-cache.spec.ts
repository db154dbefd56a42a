// SPDX-License-Identifier: Apache-2.0
import { keptForever, type Network } from '@chainwatch/chain-core';
import type { Chain } from '../chains/chain.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { AnswerCache } from './answer-cache.ts';

const body = Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"number":"0x5"}}');

/** Keeps an answer of a final block; returns whether it is there before the head changes, and afterwards. */
function keepOver(isLocal: boolean): boolean[] {
  const chain = {
    network: { isLocal } as Network,
    cacheRules: new Map([['eth_getBlockByNumber', keptForever]]),
    headStamp: 1,
    serves: () => true,
  };
  const cache = new AnswerCache(1_000_000);
  const asked = {
    chain: chain as unknown as Chain,
    key: 'key',
    method: 'eth_getBlockByNumber',
    params: '[]',
  };
  const stored = { body, idStart: 21, idEnd: 22, contentType: 'application/json' };
  const reply = {
    status: 200,
    contentType: 'application/json',
    contentEncoding: undefined,
    retryAfter: undefined,
    contentLength: body.length,
    body,
  };
  cache.keep(
    { ...asked, finalNumber: 9, stamp: 1 },
    { reply, stored, upstream: { head: { number: 99, hash: 'a', final: 90 } } as Upstream },
  );
  return [1, 2].map((stamp) => {
    chain.headStamp = stamp;
    return cache.find(asked.chain, 'key') !== undefined;
  });
}

it('keeps what is final for good, but of a local chain, which may begin anew, only until its head changes', () => {
  expect(keepOver(false)).toEqual([true, true]);
  expect(keepOver(true)).toEqual([true, false]);
});
