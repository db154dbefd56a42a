// SPDX-License-Identifier: Apache-2.0
import { BaseError, type BaseErrorOptions } from '@chainwatch/common/problem';
import type { UnknownPart } from './block.ts';

export abstract class ChainError extends BaseError {
  declare readonly publicMessage: string;
  constructor(message: string, options?: BaseErrorOptions) {
    super(message, { ...options, publicMessage: options?.publicMessage ?? message });
  }
}

export class InvalidAddressError extends ChainError {
  readonly code = 'invalid_address';
  readonly retryable = false;
}

export class InvalidAssetError extends ChainError {
  readonly code = 'invalid_asset';
  readonly retryable = false;
}

/** An extended public key or its derivation path was not accepted. The message never holds the key. */
export class InvalidPublicKeyError extends ChainError {
  readonly code = 'invalid_public_key';
  readonly retryable = false;
  readonly field: 'extended_public_key' | 'derivation_path';
  /** Key and path are each well-formed, but contradict each other. */
  readonly isConflict: boolean;
  constructor(
    message: string,
    options: { field: 'extended_public_key' | 'derivation_path'; isConflict?: boolean; cause?: unknown },
  ) {
    super(message, options);
    this.field = options.field;
    this.isConflict = options.isConflict ?? false;
  }
}

/** Addresses cannot be derived at the moment: too many requests wait already, or the thread that computes them died. */
export class DerivationUnavailableError extends ChainError {
  readonly code = 'derivation_unavailable';
  readonly retryable = true;
}

/** The chain cannot be followed or read as things are configured: no code, no catalogue entry, no endpoint that can be used. */
export class ChainNotConfiguredError extends ChainError {
  readonly code = 'chain_not_configured';
  readonly retryable = true;
}

/** The node did not answer, or answered with an error: time-out, refused, 429, 5xx, broken JSON, JSON-RPC error. */
export class ChainClientError extends ChainError {
  readonly code = 'node_error';
  readonly retryable = true;
  /** HTTP status or JSON-RPC code where there was one. */
  readonly nodeCode?: number;
  constructor(message: string, options?: { cause?: unknown; publicMessage?: string; nodeCode?: number }) {
    super(message, options);
    if (options?.nodeCode !== undefined) this.nodeCode = options.nodeCode;
  }
}

/** The node serves another chain than the one configured. Ask another endpoint; this one serves nothing. */
export class WrongChainError extends ChainError {
  readonly code = 'wrong_chain';
  readonly retryable = false;
}

/** The node does not know this block (lagging, pruned, or the block was orphaned). */
export class BlockNotFoundError extends ChainError {
  readonly code = 'block_not_found';
  readonly retryable = true;
}

/** What the node returned does not add up to the block's header. Never accepted; ask again, then another endpoint. */
export class IncompleteBlockError extends ChainError {
  readonly code = 'incomplete_block';
  readonly retryable = true;
}

/**
 * The block holds something that this decoder does not know; all that it knows is complete and right. Another
 * endpoint may answer in a form that it knows; failing that, the caller may take the block as it is
 * (`takeUnknown`).
 */
export class UnknownContentError extends ChainError {
  readonly code = 'unknown_content';
  readonly retryable = true;
  /** At least one; each kind once. */
  readonly unknowns: readonly UnknownPart[];
  constructor(message: string, unknowns: readonly UnknownPart[], options?: { cause?: unknown }) {
    super(message, options);
    this.unknowns = unknowns;
  }
}

/** What may be told to API clients: no endpoint, address or credential of the operator. The log has the rest. */
export function describePublicly(error: unknown): string {
  if (error instanceof BaseError) return error.publicMessage ?? `${error.name}: ${error.message}`;
  // Errors of ours say what contradicts; those of drivers and sockets name hosts.
  return 'an internal fault, the log of the service tells more';
}
