// SPDX-License-Identifier: Apache-2.0
import { keccak256, serializeTransaction } from 'viem';
import { findKnownTransaction } from './evm-rpc.ts';

const SEND = 'eth_sendRawTransaction';
const raw = Buffer.from(
  serializeTransaction({ type: 'eip1559', chainId: 1, nonce: 7, gas: 21_000n, maxFeePerGas: 9n }).slice(2),
  'hex',
);
const hash = keccak256(raw);

it.each([
  ['already known', hash],
  ['AlreadyKnown', hash],
  ['known transaction: 0x1', hash],
  ['Transaction with the same hash was already imported.', hash],
  ['nonce too low', undefined],
])('an error "%s" tells %s', (message, told) => {
  expect(findKnownTransaction(SEND, JSON.stringify({ code: -32000, message }), raw)).toBe(told);
});

it('tells no hash of a blob transaction, whose blobs it does not cover, and of no other method', () => {
  expect(findKnownTransaction(SEND, 'already known', Buffer.from([3, ...raw]))).toBeUndefined();
  expect(findKnownTransaction('eth_sendTransaction', 'already known', raw)).toBeUndefined();
});
