// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { findAnvil } from '../find-anvil.ts';
import { acceptsConnections, answersRpc } from '../is-ready.ts';
import type { LocalNode } from '../local-node.ts';
import { startOrRenew } from '../start-or-renew.ts';
import { anvilArgs } from './anvil-vm.ts';

export const TRON_CHAIN = 'tron:0x7a69';

export const tronNode: LocalNode<'tron' | 'anvil of tron'> = {
  family: 'tron',
  gid: TRON_CHAIN,
  ports: { tron: 8090, 'anvil of tron': 8546 },
  start: async ({ ports: { tron: port, 'anvil of tron': anvilPort }, stateDir, distDir, startProcess }) => {
    const anvilUrl = `http://127.0.0.1:${anvilPort}`;
    // The virtual machine: a fresh one each time, the journal fills it.
    const anvil = {
      name: 'tron-anvil',
      command: findAnvil(),
      args: ['--host', '127.0.0.1', '--port', `${anvilPort}`, '--quiet', ...anvilArgs],
      identity: `--port ${anvilPort}`,
    };
    await startProcess(anvil, { isReady: () => answersRpc(anvilUrl) });
    const journal = join(stateDir, 'tron-blocks.ndjson');
    const script = join(distDir, 'tron-node.mjs');
    const node = {
      name: 'tron',
      command: process.execPath,
      args: [script, '--port', `${port}`, '--anvil-url', anvilUrl, '--journal', journal],
      identity: journal,
      env: { NODE_OPTIONS: '' },
    };
    const options = { isReady: () => acceptsConnections(port), timeoutMs: 60_000 };
    await startOrRenew(journal, () => startProcess(node, options));
    const url = `http://127.0.0.1:${port}`;
    return { endpoint_url: url, evm_endpoint_url: `${url}/jsonrpc` };
  },
};
