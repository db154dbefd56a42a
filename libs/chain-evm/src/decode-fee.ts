import type { Fee } from '@chainwatch/chain-core';
import type { RawReceipt, RawTransaction } from './raw-block.ts';

/**
 * What the sender paid for a transaction: gas, blob gas (EIP-4844) and a roll-up's own fees. Undefined where nothing was
 * paid on this chain (deposits from L1).
 */
export function decodeFee(
  assetGid: string,
  tx: RawTransaction,
  receipt: RawReceipt,
  type: number,
): Fee | undefined {
  if (type === 0x7e || type === 0x64) return undefined;
  const gasPrice = receipt.effectiveGasPrice ?? tx.gasPrice;
  let amountRaw = typeof gasPrice === 'string' ? BigInt(gasPrice) * BigInt(receipt.gasUsed) : 0n;
  if (typeof receipt.blobGasUsed === 'string' && typeof receipt.blobGasPrice === 'string' && type === 3) {
    amountRaw += BigInt(receipt.blobGasUsed) * BigInt(receipt.blobGasPrice);
  }
  if (typeof receipt.l1Fee === 'string') amountRaw += BigInt(receipt.l1Fee);
  if (typeof receipt.operatorFeeScalar === 'string') amountRaw += operatorFee(receipt);
  return { assetGid, amountRaw, payer: tx.from.toLowerCase() };
}

/** OP stack from Isthmus on; Jovian (told by the data-availability field) multiplies by 100 instead of dividing by 1e6. */
function operatorFee(receipt: RawReceipt): bigint {
  const scaled = BigInt(receipt.gasUsed) * BigInt(receipt.operatorFeeScalar ?? 0);
  const isJovian = typeof receipt.daFootprintGasScalar === 'string';
  return (isJovian ? scaled * 100n : scaled / 1_000_000n) + BigInt(receipt.operatorFeeConstant ?? 0);
}
