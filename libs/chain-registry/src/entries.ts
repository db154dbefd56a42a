// SPDX-License-Identifier: Apache-2.0
import { bitcoin } from '@chainwatch/chain-bitcoin/entry';
import type { FamilyEntry } from '@chainwatch/chain-core';
import { evm } from '@chainwatch/chain-evm/entry';
import { solana } from '@chainwatch/chain-solana/entry';
import { tron } from '@chainwatch/chain-tron/entry';

/** Every family of this build, in the order of lists and documents. */
export const entries: readonly FamilyEntry[] = [evm, bitcoin, solana, tron];
