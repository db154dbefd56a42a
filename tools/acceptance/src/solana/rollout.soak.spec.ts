// SPDX-License-Identifier: Apache-2.0
import { describeRollout } from '../rollout/describe-rollout.ts';
import { ROLLED } from '../rollout/rolled.ts';
import { playScript } from './play-script.ts';
import { SolanaChain } from './solana-chain.ts';

describeRollout({ chain: new SolanaChain(), playScript, services: ROLLED.solana });
