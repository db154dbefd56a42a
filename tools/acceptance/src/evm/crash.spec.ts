// SPDX-License-Identifier: Apache-2.0
import { describeCrashes } from '../describe-crashes.ts';
import { EvmChain } from './evm-chain.ts';
import { playScript } from './play-script.ts';

describeCrashes({ chain: new EvmChain({ epochBlocks: 8 }), playScript, kills: 8 });
