// SPDX-License-Identifier: Apache-2.0
import { describeOracle } from '../describe-oracle.ts';
import { playScript } from './play-script.ts';
import { TronChain } from './tron-chain.ts';

/** TRON_INTERFACES=evm gives the service the Ethereum-compatible interface alone. */
const chain = new TronChain(process.env['TRON_INTERFACES'] === 'evm' ? 'evm' : 'both');

// Solid blocks stay on a real chain; below that, the service must hold all the same.
describeOracle({ chain, playScript, scripts: 2, reorgs: { every: 3, deep: 40, shallow: 8 } });
