// SPDX-License-Identifier: Apache-2.0
import { describeRollout } from '../rollout/describe-rollout.ts';
import { ROLLED } from '../rollout/rolled.ts';
import { playScript } from './play-script.ts';
import { BitcoinChain } from './bitcoin-chain.ts';

describeRollout({ chain: new BitcoinChain(), playScript, services: ROLLED.bitcoin });
