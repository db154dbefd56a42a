// SPDX-License-Identifier: Apache-2.0
import { keccak_256 } from '@noble/hashes/sha3.js';
import { RLP } from '@ethereumjs/rlp';
import { bytesOf, toHex, type Hex } from './encode-parts.ts';

/** Ids of AVAX on the other chains, by EVM chain id. */
const AVAX_IDS: Readonly<Record<number, Hex>> = {
  43113: '0x3d9bdac0ed1d761330cf680efdeb1a42159eb387d6d2950c96f7d28f61bbe2aa',
  43114: '0x21e67317cbc4be2aeb00677ad6462778a8f52274b9d605df2591b23027a87dff',
};

/** A transaction between chains of Avalanche's network: what one account gets or gives. */
export interface AtomicPlan {
  readonly type: 'import' | 'export';
  readonly address: Hex;
  /** nAVAX, or units of another asset. */
  readonly amount: bigint;
  /** Default: AVAX. */
  readonly assetId?: Hex;
}

/** `blockExtraData` (coreth, codec version 0): a list, or before Apricot Phase 5 one transaction alone. */
export function encodeAtomic(plans: readonly AtomicPlan[], chainId: number, isList = true): Hex {
  if (plans.length === 0) return '0x';
  const bodies = plans.map((plan) => encodeOne(plan, avaxOf(chainId)));
  return toHex(Buffer.concat([number(0, 2), ...(isList ? [number(bodies.length, 4)] : []), ...bodies]));
}

/** `extDataHash`: keccak-256 of the RLP of the bytes. */
export function hashExtraData(extraData: Hex): Hex {
  return toHex(keccak_256(RLP.encode(bytesOf(extraData))));
}

/** Wei that the transactions add to an account. */
export function sumAtomic(plans: readonly AtomicPlan[], address: string, chainId: number): bigint {
  let sum = 0n;
  for (const plan of plans)
    if (plan.address === address && (plan.assetId ?? avaxOf(chainId)) === avaxOf(chainId))
      sum += (plan.type === 'import' ? 1n : -1n) * plan.amount * 1_000_000_000n;
  return sum;
}

function encodeOne({ type, address, amount, assetId }: AtomicPlan, avax: Hex): Buffer {
  const asset = bytesOf(assetId ?? avax);
  const move = Buffer.concat([bytesOf(address), number(amount, 8), asset]);
  const chains = Buffer.concat([number(5, 4), Buffer.alloc(32, 0x7f), Buffer.alloc(32)]);
  const spent = Buffer.concat([Buffer.alloc(32, 0x11), number(1, 4), asset, number(5, 4), number(amount, 8)]);
  const created = Buffer.concat([asset, number(7, 4), number(amount, 8), number(0, 8), number(1, 4)]);
  const parts =
    type === 'import'
      ? [number(0, 4), chains, list(Buffer.concat([spent, list(number(0, 4))])), list(move)]
      : [
          number(1, 4),
          chains,
          list(Buffer.concat([move, number(3, 8)])),
          list(Buffer.concat([created, list(Buffer.alloc(20, 0x22))])),
        ];
  const credential = Buffer.concat([number(9, 4), list(Buffer.alloc(65, 0x33))]);
  return Buffer.concat([...parts, list(credential)]);
}

function avaxOf(chainId: number): Hex {
  const id = AVAX_IDS[chainId];
  if (id === undefined) throw new RangeError(`expected a chain of Avalanche, got ${chainId}`);
  return id;
}

function list(...items: readonly Buffer[]): Buffer {
  return Buffer.concat([number(items.length, 4), ...items]);
}

function number(value: number | bigint, byteLength: number): Buffer {
  return Buffer.from(
    BigInt(value)
      .toString(16)
      .padStart(2 * byteLength, '0'),
    'hex',
  );
}
