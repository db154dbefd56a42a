/**
 * Proves from the bytes of two JSON-RPC answers that they are a whole EVM block, in WebAssembly (README.md; ADR 13). It only
 * says yes: `undefined` means that the caller has to verify the block by other means.
 *
 * @example
 * const scanned = scanBlock(body, receipts, ref.hash, encodeForeign);
 * if (scanned?.transactionsRoot !== header.transactionsRoot) return undefined;
 */
export {
  ADDRESS_LENGTH,
  HASH_LENGTH,
  scanBlock,
  type Foreign,
  type ScannedBlock,
} from './block-prover.ts';
