// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { acceptsConnections } from '../is-ready.ts';
import type { LocalNode } from '../local-node.ts';
import { startOrRenew } from '../start-or-renew.ts';

export const SOLANA_CHAIN = 'solana:localnet';
/** A block a second and final four later: quick to watch, and little work for a machine that runs everything else as well. */
const BLOCKS = ['--interval', '1000', '--finality-slots', '4'];

export const solanaNode: LocalNode<'solana' | 'solana socket'> = {
  family: 'solana',
  gid: SOLANA_CHAIN,
  // The node takes the port above its own for the WebSocket.
  ports: { solana: 8899, 'solana socket': 8900 },
  urlVariable: 'CHAINWATCH_DEVNET_SOLANA_URL',
  start: async ({ ports: { solana: port }, stateDir, distDir, startProcess }) => {
    const stateFile = join(stateDir, 'solana-state');
    const script = join(distDir, 'solana-node.mjs');
    const spec = {
      name: 'solana',
      command: process.execPath,
      args: ['--enable-source-maps', script, '--port', `${port}`, '--state', stateFile, ...BLOCKS],
      identity: stateFile,
      env: { NODE_OPTIONS: '' },
    };
    await startOrRenew(stateFile, () => startProcess(spec, { isReady: () => acceptsConnections(port) }));
    return { endpoint_url: `http://127.0.0.1:${port}` };
  },
};
