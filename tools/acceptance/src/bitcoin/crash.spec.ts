// SPDX-License-Identifier: Apache-2.0
import { describeCrashes } from '../describe-crashes.ts';
import { BitcoinChain } from './bitcoin-chain.ts';
import { playScript } from './play-script.ts';

describeCrashes({ chain: new BitcoinChain({ hasCoinScan: true }), playScript, kills: 6 });
