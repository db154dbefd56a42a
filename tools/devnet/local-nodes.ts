// SPDX-License-Identifier: Apache-2.0
import { bitcoinNode } from './bitcoin/local-node.ts';
import { evmNode } from './evm/local-node.ts';
import type { LocalNode } from './local-node.ts';
import { solanaNode } from './solana/local-node.ts';
import { tronNode } from './tron/local-node.ts';

/** What `npm start` starts: a line for each family. */
export const localNodes: readonly LocalNode[] = [evmNode, bitcoinNode, solanaNode, tronNode];
