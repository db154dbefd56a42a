// SPDX-License-Identifier: Apache-2.0
/**
 * A local Solana node (LiteSVM, the real runtime, behind Solana's JSON-RPC) and its control for specs, the acceptance
 * tests and the demo: blocks on command, skipped slots, forks below finality, instructions of both token programs.
 *
 * @example
 * const node = connectSolanaNode('http://127.0.0.1:8899');
 * await node.airdrop(payer.publicKey, 1_000_000_000n);
 * await node.produce();
 */
export { encodeMetaplexMetadata, metaplexAddress, METAPLEX_PROGRAM } from './metaplex-metadata.ts';
export { connectSolanaNode, SolanaRpcError, type SendOptions, type SolanaNode } from './solana-node.ts';
export type { SentVersion } from './sign-transaction.ts';
export * from './token-instructions.ts';
export { compileV1, LOCAL_LIMITS, signV1 } from './version-1.ts';
