import { data, encodeRlp, quantity } from './encode-rlp.ts';
import { typeOf } from './encode-transaction.ts';
import { keccak256Hex } from './keccak.ts';
import type { RawReceipt, RawTransaction } from './raw-block.ts';

/**
 * Address of the contract that a transaction creates: the last 20 bytes of keccak-256 of rlp([sender, nonce]) (Yellow Paper,
 * 7). Receipts also name it, but no root covers that field. Undefined where the nonce is not proved: deposits
 * of the OP stack before Canyon, Arbitrum's messages from contracts.
 */
export function computeCreatedContract(tx: RawTransaction, receipt: RawReceipt): string | undefined {
  if (tx.to !== null && tx.to !== undefined) return undefined;
  const nonce = provedNonce(tx, receipt);
  if (typeof nonce !== 'string') return undefined;
  return `0x${keccak256Hex(encodeRlp([data(tx.from), quantity(nonce)])).slice(24)}`;
}

function provedNonce(tx: RawTransaction, receipt: RawReceipt): string | null | undefined {
  const type = typeOf(tx);
  if (type <= 4 || type === 0x65) return tx.nonce;
  // The receipts root covers either both fields or neither.
  if (type === 0x7e && typeof receipt.depositReceiptVersion === 'string') return receipt.depositNonce;
  return undefined;
}
