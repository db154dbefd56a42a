// SPDX-License-Identifier: Apache-2.0
import { RLP } from '@ethereumjs/rlp';
import { bytesToHex, hexToBytes, keccak256, type Hex } from 'viem';
import { isOfStack, encodeTransaction, typeOf } from './encode-transaction.ts';
import { readTraits } from './networks.ts';
import { readSignature, recoverSender } from './prove-senders.ts';
import type { RawTransaction } from './raw-block.ts';
import { networkNamed } from './spec-read.ts';
import type { Stack } from './types-of-stack.ts';
import recorded from './vectors/recorded-parts.json' with { type: 'json' };

// vectors/recorded-parts.json names where each transaction was recorded.
const { celo, scroll, berachain, megaeth } = recorded;

const encode = (tx: object, stack: Stack): Uint8Array | undefined =>
  encodeTransaction(tx as RawTransaction, stack);

describe('a recorded transaction', () => {
  it.each<[string, object & { hash: string }, Stack]>([
    ['that pays its fee in a token (Celo)', celo.transaction, 'celo'],
    ['that is a message from L1 (Scroll)', scroll.transaction, 'scroll'],
    ['that is a proof of liquidity (Berachain)', berachain.transaction, 'berachain'],
    ['that is a deposit (MegaETH)', megaeth.deposit, 'optimism'],
    ["of the chain's own account (MegaETH)", megaeth.system, 'optimism'],
  ])('%s has its hash', (_name, tx, stack) => {
    expect(keccak256(encode(tx, stack)!)).toBe(tx.hash);
    // The hash covers all of it but what only informs.
    for (const member of ['to', 'gas', 'input'] as const)
      expect(keccak256(encode({ ...tx, [member]: `0x${'01'.repeat(20)}` }, stack)!)).not.toBe(tx.hash);
  });

  it('of Berachain has the encoding that bera-geth gave it', () => {
    expect(bytesToHex(encode(berachain.transaction, 'berachain')!)).toBe(berachain.raw);
  });

  it.each([
    ['celo', celo.transaction],
    ['megaeth', megaeth.system],
  ])('of %s names the sender that its signature proves', (name, tx) => {
    const traits = { ...readTraits(networkNamed(name)), roots: 'strict' as const };
    expect(recoverSender(readSignature(tx as RawTransaction, traits)!)).toBe(tx.from);
    expect(
      recoverSender(readSignature({ ...tx, input: '0x' } as unknown as RawTransaction, traits)!),
    ).not.toBe(tx.from);
  });
});

describe('a type byte', () => {
  const everything = {
    ...megaeth.deposit,
    ...scroll.transaction,
    ...berachain.transaction,
  };

  it('0x7e means another transaction on each stack', () => {
    const hashes = (['optimism', 'scroll', 'berachain'] as const).map((stack) =>
      keccak256(encode(everything, stack)!),
    );
    expect(new Set(hashes).size).toBe(3);
    const fields = (stack: Stack): number =>
      (RLP.decode(encode(everything, stack)!.subarray(1)) as Uint8Array[]).length;
    expect([fields('optimism'), fields('scroll'), fields('berachain')]).toEqual([8, 6, 7]);
  });

  it.each<[string, readonly Stack[]]>([
    ['0x7b', ['celo']],
    ['0x7d', ['optimism', 'celo']],
    ['0x7e', ['optimism', 'base', 'celo', 'scroll', 'berachain']],
    ['0x7f', ['bor']],
    ['0x64', ['arbitrum']],
  ])('%s is known on its stacks alone', (type, stacks) => {
    const all: Stack[] = [
      'ethereum',
      'optimism',
      'base',
      'arbitrum',
      'bor',
      'avalanche',
      'celo',
      'scroll',
      'berachain',
      'hyperevm',
    ];
    expect(all.filter((stack) => isOfStack(typeOf({ type }), stack))).toEqual(
      all.filter((stack) => stacks.includes(stack)),
    );
  });
});

// From viem's own tests of Celo's serializer: signed by the first account of anvil.
it('a transaction of Celo is encoded as viem encodes it', () => {
  const raw: Hex =
    '0x7bf88782a4ec01847735940084773594008094f39fd6e51aad88f6f4ce6ab8827279cfffb92266880de0b6b3a764000080c094765de816845861e75a25fca122bb6898b8b1282a01a087a588ffb7bec68b00d264932305b3badc3bfba2f48e9d3d916d038e1bb831a5a077e665b35849c636b52b3cc205acb98141b4a582fb84a7181e048dc5473c6d6d';
  const tx: RawTransaction = {
    hash: keccak256(raw),
    type: '0x7b',
    chainId: '0xa4ec',
    nonce: '0x1',
    maxPriorityFeePerGas: '0x77359400',
    maxFeePerGas: '0x77359400',
    gas: '0x0',
    from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    to: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    value: '0xde0b6b3a7640000',
    input: '0x',
    accessList: [],
    feeCurrency: '0x765de816845861e75a25fca122bb6898b8b1282a',
    yParity: '0x1',
    r: '0x87a588ffb7bec68b00d264932305b3badc3bfba2f48e9d3d916d038e1bb831a5',
    s: '0x77e665b35849c636b52b3cc205acb98141b4a582fb84a7181e048dc5473c6d6d',
  };
  expect(bytesToHex(encode(tx, 'celo')!)).toBe(raw);
  expect(recoverSender(readSignature(tx, { ...readTraits(networkNamed('celo')), roots: 'strict' })!)).toBe(
    tx.from,
  );
  // Without a token it is paid in the native coin: the place is empty.
  const fields = RLP.decode(hexToBytes(raw).subarray(1)) as Uint8Array[];
  const native = RLP.decode(encode({ ...tx, feeCurrency: null }, 'celo')!.subarray(1)) as Uint8Array[];
  expect(native).toEqual(fields.map((field, at) => (at === 9 ? new Uint8Array() : field)));
});
