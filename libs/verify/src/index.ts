// SPDX-License-Identifier: Apache-2.0
/** Verifies proofs of transactions, and signed statements, without the service that gave them. */
export { verifyTransaction, type Trust } from './verify-transaction.ts';
export { InvalidProofError, type Proof, type ProvedTransaction, type ProvedTransfer } from './proof.ts';
export { verifyStatement, type StatementDocument } from './verify-statement.ts';
export type {
  StatementCounts,
  StatementKeys,
  StatementSignature,
  StatementTrust,
  VerifiedStatement,
} from './statement.ts';
