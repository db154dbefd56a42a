// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { bytesToHex, formatTransaction, serializeTransaction } from 'viem';
import type { Hex, RpcTransaction, Signature, TransactionSerializable } from 'viem';
import { encodeTransaction, typeOf } from './encode-transaction.ts';
import type { RawTransaction } from './raw-block.ts';
import { fixedItems } from './spec-block.ts';

/** As viem's wallet functions encode it. @throws where they refuse it */
function serialize(tx: RawTransaction): Hex {
  const { input, r, s, v, yParity, ...rest } = formatTransaction(tx as unknown as RpcTransaction);
  // A block's transaction tells a chain id that a legacy one does not hold by itself.
  const chainId = typeOf(tx) === 0 ? undefined : rest.chainId;
  const whole = { ...rest, chainId, data: input } as unknown as TransactionSerializable;
  return serializeTransaction(whole, { r, s, v, yParity } as unknown as Signature);
}

function encode(tx: RawTransaction): Hex {
  return bytesToHex(encodeTransaction(tx, 'ethereum') ?? new Uint8Array());
}

// Recorded mainnet blocks, beside the repository: ../shared/fixtures/evm (see fixtures.md).
const folder = new URL('../../../../shared/fixtures/evm/', import.meta.url);
const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.block.json')) : [];
if (files.length === 0) console.log('skipped: recorded EVM transactions (../shared/fixtures/evm is absent)');

(files.length === 0 ? describe.skip : describe)('transactions of recorded blocks', () => {
  it('are encoded as viem encodes them', () => {
    const types = new Map<number, number>();
    for (const file of files) {
      const { transactions = [] } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as {
        transactions?: readonly RawTransaction[];
      };
      for (const tx of transactions) {
        const type = typeOf(tx);
        if (type > 4) continue;
        types.set(type, (types.get(type) ?? 0) + 1);
        expect({ hash: tx.hash, encoding: encode(tx) }).toEqual({ hash: tx.hash, encoding: serialize(tx) });
      }
    }
    expect(types.get(0)).toBeGreaterThan(100);
    expect(types.get(2)).toBeGreaterThan(100);
    expect(types.get(3)).toBeGreaterThan(0);
  });
});

describe('transactions that a chain may hold and a wallet may not send', () => {
  const [legacy, , feeMarket] = fixedItems().map(({ tx }) => tx) as [
    RawTransaction,
    RawTransaction,
    RawTransaction,
  ];
  const blobs = { ...feeMarket, type: '0x3', maxFeePerBlobGas: '0x1' };
  const authorization = { address: `0x${'b2'.repeat(20)}`, nonce: '0x0', chainId: '0x1', yParity: '0x0' };
  const signature = { r: `0x${'11'.repeat(32)}`, s: `0x${'22'.repeat(32)}` };
  const authorized = (over: object): RawTransaction => ({
    ...feeMarket,
    type: '0x4',
    authorizationList: [{ ...authorization, ...signature, ...over }],
  });

  it.each<[string, RawTransaction]>([
    ['without a signature, as Optimism had them before Bedrock', { ...legacy, v: '0x0', r: '0x0', s: '0x0' }],
    ['with a tip above the fee', { ...feeMarket, maxPriorityFeePerGas: '0x77359401' }],
    ['with blob hashes of a later version', { ...blobs, blobVersionedHashes: [`0x02${'00'.repeat(31)}`] }],
  ])('%s are encoded, which viem refuses', (_, tx) => {
    expect(encodeTransaction(tx, 'ethereum')).toBeDefined();
    expect(() => serialize(tx)).toThrow();
  });

  // Anybody may put such an authorization into a block: it only has no effect (EIP-7702).
  it.each([
    ['a nonce beyond what a number holds', { nonce: '0xfffffffffffffffe' }],
    ['a chain id beyond what a number holds', { chainId: `0x${'f'.repeat(64)}` }],
  ])('with an authorization of %s are encoded, which viem does otherwise', (_, over) => {
    expect(serialize(authorized({}))).toBe(encode(authorized({})));
    expect(attempt(() => serialize(authorized(over)))).not.toBe(encode(authorized(over)));
  });
});

function attempt(run: () => Hex): Hex | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
