// SPDX-License-Identifier: Apache-2.0
import { serviceNames } from '../../../stack/services.mjs';
import { EvmChain } from '../evm/evm-chain.ts';
import { playScript } from '../evm/play-script.ts';
import { describeRollout } from './describe-rollout.ts';
import { ROLLED } from './rolled.ts';

// One service here, the others in `npm run soak -- rollout`.
describeRollout({ chain: new EvmChain({ epochBlocks: 8 }), playScript, services: ['tx-analyzer'] });

it('every service is replaced by the soak', () => {
  expect([...new Set(Object.values(ROLLED).flat())].sort()).toEqual([...serviceNames].sort());
});
