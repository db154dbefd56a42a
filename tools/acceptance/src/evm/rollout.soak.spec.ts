// SPDX-License-Identifier: Apache-2.0
import { describeRollout } from '../rollout/describe-rollout.ts';
import { ROLLED } from '../rollout/rolled.ts';
import { playScript } from './play-script.ts';
import { EvmChain } from './evm-chain.ts';

describeRollout({ chain: new EvmChain({ epochBlocks: 8 }), playScript, services: ROLLED.evm });
