/** Verifies proofs of transactions without the service that gave them. */
export { verifyTransaction, type Trust } from './verify-transaction.ts';
export { InvalidProofError, type Proof, type ProvedTransaction, type ProvedTransfer } from './proof.ts';
