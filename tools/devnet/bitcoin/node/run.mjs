// SPDX-License-Identifier: Apache-2.0
/** `node run.mjs --port 18443 --password … [--data-dir …] [--coin-scan]`: a Bitcoin regtest node, in memory where no folder is given. */
import { parseArgs } from 'node:util';
import { FullNode } from './bcoin.mjs';
import { activateSoftForks, applyCoreRegtest } from './core-rules.mjs';
import { allowReplacement } from './replace-by-fee.mjs';
import { returnTransactions } from './reorganized-transactions.mjs';
import { leaveOutNullBounds } from './leveldown-bounds.mjs';
import { answerGetTxOut } from './get-tx-out.mjs';
import { answerScanTxOutSet } from './scan-tx-out-set.mjs';
import { answerSendRawTransaction } from './send-raw-transaction.mjs';

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    password: { type: 'string' },
    'data-dir': { type: 'string' },
    'coin-scan': { type: 'boolean' },
  },
});

applyCoreRegtest();
const node = new FullNode({
  network: 'regtest',
  memory: values['data-dir'] === undefined,
  prefix: values['data-dir'],
  httpHost: '127.0.0.1',
  httpPort: Number(values.port),
  apiKey: values.password,
  // It has no peers: neither calls nor listens.
  listen: false,
  workers: false,
  indexTx: true,
  replaceByFee: true,
  requireStandard: false,
  rejectAbsurdFees: false,
  logLevel: 'error',
  logConsole: true,
});
if (values['data-dir'] !== undefined) leaveOutNullBounds(node);
activateSoftForks(node);
allowReplacement(node);
returnTransactions(node);
answerSendRawTransaction(node);
answerGetTxOut(node);
if (values['coin-scan']) answerScanTxOutSet(node);

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void node.close().finally(() => process.exit(0)));
await node.ensure();
await node.open();
console.log(`bcoin listens on http://127.0.0.1:${values.port}, height ${node.chain.height}`);
