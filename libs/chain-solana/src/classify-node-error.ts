// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';

/**
 * Slot skipped: nobody made a block in it, or this node jumped over it. The second code is that of the
 * long-term storage.
 */
const SKIPPED = [-32007, -32009];
/** Not there yet: the node is behind, or has the slot and not its block. */
const NOT_YET = [-32004, -32014];
const CLEANED_UP = -32001;
const CONTEXT_NOT_REACHED = -32016;

function hasCode(error: unknown, codes: readonly number[]): error is ChainClientError {
  return error instanceof ChainClientError && error.nodeCode !== undefined && codes.includes(error.nodeCode);
}

export const isSkipped = (error: unknown): boolean => hasCode(error, SKIPPED);
export const isNotYet = (error: unknown): boolean => hasCode(error, NOT_YET);
/** Older than what the node keeps. */
export const isCleanedUp = (error: unknown): boolean => hasCode(error, [CLEANED_UP]);
/** The node's state is older than asked for. */
export const isBehindContext = (error: unknown): boolean => hasCode(error, [CONTEXT_NOT_REACHED]);
/** The node has no block in that slot, for whatever reason. */
export const isMissingBlock = (error: unknown): boolean =>
  isSkipped(error) || isNotYet(error) || isCleanedUp(error);
