// SPDX-License-Identifier: Apache-2.0
import { createRequire } from 'node:module';

// No package of this repository runs a script at install: the native halves of bcoin's dependencies are not built.
process.env.NODE_BACKEND = 'js';
// Not named `require`: what stands in this folder's own package.json is no dependency of the product.
const load = createRequire(import.meta.url);

export const FullNode = load('bcoin/lib/node/fullnode');
export const { thresholdStates } = load('bcoin/lib/blockchain/common');
export const consensus = load('bcoin/lib/protocol/consensus');
export const networks = load('bcoin/lib/protocol/networks');
export const policy = load('bcoin/lib/protocol/policy');
export const { VerifyError } = load('bcoin/lib/protocol/errors');
export const TX = load('bcoin/lib/primitives/tx');
export const CoinEntry = load('bcoin/lib/coins/coinentry');
export const layout = load('bcoin/lib/blockchain/layout');
export const Script = load('bcoin/lib/script/script');
export const { RPCError } = load('bweb');
