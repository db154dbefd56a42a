// SPDX-License-Identifier: Apache-2.0
import { describeCrashes } from '../describe-crashes.ts';
import { playScript } from './play-script.ts';
import { SolanaChain } from './solana-chain.ts';

describeCrashes({ chain: new SolanaChain(), playScript, kills: 6 });
