// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { findAnvil } from '../find-anvil.ts';
import { answersRpc } from '../is-ready.ts';
import type { LocalNode } from '../local-node.ts';
import { startOrRenew } from '../start-or-renew.ts';

export const EVM_CHAIN = 'eip155:31337';
const STATE_INTERVAL_S = 30;

/**
 * One block a second, final two blocks later. The chain is dumped on exit and every half minute, so that a restarted
 * stack goes on where it stopped; after a crash of the machine the node forgets at most that long, which the services
 * see as a reorg.
 */
export const evmNode: LocalNode<'anvil'> = {
  family: 'evm',
  gid: EVM_CHAIN,
  ports: { anvil: 8545 },
  start: async ({ ports: { anvil: port }, stateDir, startProcess }) => {
    const url = `http://127.0.0.1:${port}`;
    const stateFile = join(stateDir, 'anvil-state.json');
    const args = ['--host', '127.0.0.1', '--port', `${port}`, '--chain-id', '31337', '--quiet'];
    const blocks = ['--block-time', '1', '--slots-in-an-epoch', '1'];
    const state = ['--state', stateFile, '--state-interval', `${STATE_INTERVAL_S}`];
    const spec = {
      name: 'anvil',
      command: findAnvil(),
      args: [...args, ...blocks, ...state],
      identity: stateFile,
    };
    await startOrRenew(stateFile, () => startProcess(spec, { isReady: () => answersRpc(url) }));
    return { endpoint_url: url };
  },
};
