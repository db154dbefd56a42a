import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hex } from 'viem';
import WebSocket from 'ws';
import { startAnvil } from '@chainwatch/testing';
import type { Report } from './report.ts';
import { startRig, waitUntil, type Rig } from './rig.ts';

const ROUNDS = 150;
const WARM_UP = 20;

/** Block available on the node → webhook body at the receiver, against a bare script that does the same without keeping anything. */
export async function benchLatency(report: Report): Promise<void> {
  const anvil = await startAnvil({ args: ['--no-mining'] });
  const accounts = await anvil.rpc<Hex[]>('eth_accounts', []);
  const arrivals = new Map<string, number>();
  const receiver = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const event = JSON.parse(Buffer.concat(chunks).toString()) as { type: string; data: { transaction: { hash: string } } };
      if (event.type === 'transaction.detected') arrivals.set(event.data.transaction.hash, performance.now());
      res.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const hookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const rig = await startRig(['block-ingestor-evm', 'tx-analyzer', 'balance-service', 'notifier']);
  try {
    await anvil.rpc('anvil_mine', ['0x1']);
    await rig.activate(anvil.url);
    for (const account of accounts) await rig.call('POST', '/addresses/external', { value: account, chain_family: 'evm' });
    await rig.call('POST', '/notification_channels/webhook', { name: 'bench', url: hookUrl, event_types: ['transaction.detected'] });
    const service = await measure(anvil.rpc, accounts, arrivals);
    await stopFollowing(rig);
    const bare = await followBare(anvil.url, hookUrl);
    arrivals.clear();
    const floor = await measure(anvil.rpc, accounts, arrivals);
    bare();
    report.add({
      name: 'latency at head, block → webhook',
      goal: 'p50 ≤ 1.5 × and p99 ≤ 3 × floor; p50 ≤ 15 ms, p99 ≤ 60 ms',
      measured: `p50 ${at(service, 0.5)} ms (${ratio(service, floor, 0.5)} × floor), p99 ${at(service, 0.99)} ms (${ratio(service, floor, 0.99)} × floor)`,
      detail: `${service.length} blocks; floor p50 ${at(floor, 0.5)} ms, p99 ${at(floor, 0.99)} ms`,
    });
  } finally {
    await rig.stop();
    receiver.close();
    await anvil.stop();
  }
}

async function measure(rpc: <T>(method: string, params: readonly unknown[]) => Promise<T>, accounts: readonly Hex[], arrivals: Map<string, number>): Promise<number[]> {
  const latencies: number[] = [];
  for (let round = 0; round < ROUNDS + WARM_UP; round += 1) {
    const hash = await rpc<Hex>('eth_sendTransaction', [{ from: accounts[round % accounts.length], to: accounts[(round + 1) % accounts.length], value: '0x1' }]);
    await rpc('evm_mine', []);
    // The reply to evm_mine is the moment when the block stands on the node.
    const mined = performance.now();
    await waitUntil(`the webhook of ${hash}`, 10_000, async () => arrivals.has(hash), 1);
    if (round >= WARM_UP) latencies.push(Math.max(0, arrivals.get(hash)! - mined));
  }
  return latencies.sort((a, b) => a - b);
}

async function stopFollowing(rig: Rig): Promise<void> {
  await rig.services.stop();
}

/** The floor: a head over WebSocket, block and receipts fetched, one POST. */
async function followBare(nodeUrl: string, hookUrl: string): Promise<() => void> {
  const socket = new WebSocket(nodeUrl.replace('http', 'ws'));
  const call = async (method: string, params: unknown[]): Promise<{ result: { transactions: { hash: string }[] } }> =>
    (await fetch(nodeUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })).json() as never;
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}');
  socket.on('message', (data) => {
    const message = JSON.parse(data.toString()) as { params?: { result: { hash: string } } };
    if (message.params === undefined) return;
    const { hash } = message.params.result;
    void Promise.all([call('eth_getBlockByHash', [hash, true]), call('eth_getBlockReceipts', [hash])]).then(([block]) =>
      Promise.all(block.result.transactions.map((transaction) => fetch(hookUrl, { method: 'POST', body: JSON.stringify({ type: 'transaction.detected', data: { transaction } }) }))),
    );
  });
  return () => socket.close();
}

const at = (sorted: readonly number[], share: number): string => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1);
const ratio = (a: readonly number[], b: readonly number[], share: number): string => (Number(at(a, share)) / Number(at(b, share))).toFixed(2);
