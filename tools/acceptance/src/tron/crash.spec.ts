// SPDX-License-Identifier: Apache-2.0
import { describeCrashes } from '../describe-crashes.ts';
import { playScript } from './play-script.ts';
import { TronChain } from './tron-chain.ts';

describeCrashes({ chain: new TronChain(), playScript, kills: 6 });
