// SPDX-License-Identifier: Apache-2.0
import { describeRollout } from '../rollout/describe-rollout.ts';
import { ROLLED } from '../rollout/rolled.ts';
import { playScript } from './play-script.ts';
import { TronChain } from './tron-chain.ts';

describeRollout({ chain: new TronChain(), playScript, services: ROLLED.tron });
