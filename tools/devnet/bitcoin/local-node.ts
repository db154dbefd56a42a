// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { acceptsConnections } from '../is-ready.ts';
import type { LocalNode } from '../local-node.ts';
import { startOrRenew } from '../start-or-renew.ts';
import { startMining } from './start-mining.ts';

/** The first half of the genesis hash of regtest. */
export const BITCOIN_CHAIN = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
/** Knows no password but this one: it listens on loopback alone, and its coins are worth nothing. */
const PASSWORD = 'devnet';

export const bitcoinNode: LocalNode<'bitcoin'> = {
  family: 'bitcoin',
  gid: BITCOIN_CHAIN,
  ports: { bitcoin: 18_443 },
  urlVariable: 'CHAINWATCH_DEVNET_BITCOIN_URL',
  start: async ({ ports: { bitcoin: port }, stateDir, startProcess }) => {
    const dataDir = join(stateDir, 'bitcoin');
    const script = join(repoDir, 'tools/devnet/bitcoin/node/run.mjs');
    const spec = {
      name: 'bitcoin',
      command: process.execPath,
      args: [script, '--port', `${port}`, '--password', PASSWORD, '--data-dir', dataDir, '--coin-scan'],
      identity: dataDir,
      env: { NODE_OPTIONS: '' },
    };
    await startOrRenew(dataDir, () => startProcess(spec, { isReady: () => acceptsConnections(port) }));
    return { endpoint_url: `http://user:${PASSWORD}@127.0.0.1:${port}` };
  },
  prepare: ({ endpoint_url: url }) => startMining(url),
};
