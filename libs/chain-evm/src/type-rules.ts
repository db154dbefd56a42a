// SPDX-License-Identifier: Apache-2.0
import { encodeRlp, type RlpItem } from './encode-rlp.ts';
import type { RawReceipt, RawTransaction } from './raw-block.ts';
import type { Fields } from './signed-fields.ts';

export type Encode = (tx: RawTransaction) => Uint8Array;

/** What a stack's own transaction type means, beyond Ethereum's types 0 to 4. */
export interface TypeRules {
  /** Null: only the node knows the encoding. Of a type that is signed, `signed` alone. */
  readonly encode: Encode | null;
  /** The fields that its sender signs; absent where nobody signs it. */
  readonly signed?: Fields;
  /** Whether the chain itself sends it, from no account. Absent: never. */
  readonly isSystem?: (tx: RawTransaction) => boolean;
  /** Nothing is paid for it on this chain, or another transaction paid for it. */
  readonly isFree?: true;
  /** What it mints for its sender. */
  readonly minted?: (tx: RawTransaction) => string | null | undefined;
  /** Whose balance of the native coin it changes by amounts that the chain does not tell, failed or not. */
  readonly changed?: (tx: RawTransaction) => readonly (string | null | undefined)[];
  /** Its sender's nonce, where a root proves it. */
  readonly nonce?: (tx: RawTransaction, receipt: RawReceipt) => string | null | undefined;
  /** What its receipt's encoding has after the logs; undefined where the node does not tell it. */
  readonly receiptTail?: (receipt: RawReceipt, tx: RawTransaction) => readonly RlpItem[] | undefined;
}

/** A list of fields behind its type (EIP-2718). */
export function typed(type: number, fieldsOf: Fields): Encode {
  return (tx) => encodeRlp(fieldsOf(tx), type);
}
