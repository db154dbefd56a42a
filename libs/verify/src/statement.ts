// SPDX-License-Identifier: Apache-2.0
/** What stands beside a statement: `signature` of `GET /statements/{id}`, the headers of its download, or its last line. */
export interface StatementSignature {
  readonly kid: string;
  readonly algorithm?: string;
  /** SHA-256 of the document, hexadecimal. */
  readonly sha256: string;
  /** Of the 32 bytes of that SHA-256, base64. */
  readonly value: string;
}

/** `/.well-known/chainwatch-keys`: get them once from the service itself, over TLS, and keep them. */
export interface StatementKeys {
  readonly keys: readonly { readonly kid: string; readonly x: string }[];
}

export interface StatementTrust {
  /** Needed for `csv` and `html`; an `ndjson` document has its own. */
  readonly signature?: StatementSignature;
  readonly keys: StatementKeys;
}

export interface VerifiedStatement {
  /** The signature holds, and so does the arithmetic of an `ndjson` document. */
  readonly isValid: boolean;
  /** The key that signed it; absent where there is no signature. */
  readonly kid?: string;
  /** Of the document as it is here, hexadecimal. */
  readonly sha256: string;
  /** What does not hold; empty where `isValid`. At most 20. */
  readonly faults: readonly string[];
  /** Of an `ndjson` document, what its lines say. Its balances may have an unexplained part, and it may declare gaps. */
  readonly lines?: StatementCounts;
}

export interface StatementCounts {
  readonly balances: number;
  readonly movements: number;
  readonly gaps: number;
  /** Balances of which a part is unexplained. */
  readonly unexplained: number;
  /** Balances without an opening or a closing reading. */
  readonly unknown: number;
}
