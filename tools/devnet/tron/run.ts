// SPDX-License-Identifier: Apache-2.0
/** `node tron-node.mjs --port 8090 --anvil-url http://127.0.0.1:8546 --journal …`: the local TRON node, a block every three seconds. */
import { parseArgs } from 'node:util';
import { AnvilVm, type AnvilRpc } from './anvil-vm.ts';
import { Journal } from './journal.ts';
import { serveNode } from './serve-node.ts';
import { TronNode } from './tron-node.ts';

const BLOCK_INTERVAL_MS = 3_000;

const { values } = parseArgs({
  options: { port: { type: 'string' }, 'anvil-url': { type: 'string' }, journal: { type: 'string' } },
});
const { port, 'anvil-url': anvilUrl, journal: file } = values;
if (port === undefined || anvilUrl === undefined || file === undefined)
  throw new Error('expected --port, --anvil-url and --journal');

const rpc: AnvilRpc = async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
  const response = await fetch(anvilUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(20_000),
  });
  const answer = (await response.json()) as { result?: T; error?: { message: string } };
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result as T;
};

// Whatever a node before this one left there: the journal makes it again. A reset brings a price of gas with it.
await rpc('anvil_reset');
await rpc('anvil_setNextBlockBaseFeePerGas', ['0x0']);
await rpc('evm_mine');
const journal = new Journal(file);
let isReplaying = true;
// One producer would have every block solid at once; two below the head show that finality takes time.
const node = new TronNode({
  vm: new AnvilVm(rpc),
  solidifiedLag: 2,
  canReorg: false,
  onBlock: (block) => void (isReplaying || journal.append(block)),
});
await node.start();
for (const entry of journal.read()) await node.replay(entry);
isReplaying = false;
if (node.head.number === 0) await node.mine();
await serveNode(node, Number(port));
console.log(`the TRON node listens on http://127.0.0.1:${port}, height ${node.head.number}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(0));
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, BLOCK_INTERVAL_MS));
  // Without its virtual machine it is no node: started again, it makes the chain anew from the journal.
  await node.produce();
}
