// SPDX-License-Identifier: Apache-2.0
/**
 * A Solana node on Alpenglow made of generated blocks (make-solana-chain.ts). `POST /control {"head": slot}` moves the head.
 * Run as its own process: node replay-solana.mjs <blocks> <port>
 */
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const [, , file, port] = process.argv;
const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
/** The transactions that all blocks share. */
let fixed = Buffer.alloc(0);
/** slot → {slot, hash, reward, own}. */
const blocks = new Map();
let first = 0;
for await (const line of createInterface({ input: createReadStream(file) })) {
  const tab = line.indexOf('\t');
  if (tab < 0) {
    fixed = Buffer.from(line);
    continue;
  }
  const [slot, hash, reward] = JSON.parse(line.slice(0, tab));
  first ||= slot;
  blocks.set(slot, { slot, hash, reward, own: Buffer.from(line.slice(tab + 1)) });
}
let head = first;

const missing = { code: -32004, message: 'Block not available for slot' };
const context = () => ({ apiVersion: '4.3.0', slot: head });

/** The result, or an error. A whole block is a list of parts. */
function answer(method, params) {
  switch (method) {
    case 'getGenesisHash':
      return { result: GENESIS };
    case 'getAgGenesisCert':
      return { result: { block: { slot: first - 2 } } };
    case 'getSlot':
      return { result: head };
    case 'getBlocks': {
      const [from, to] = [Math.max(params[0], first), Math.min(params[1], head)];
      return { result: Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index) };
    }
    case 'getMultipleAccounts':
      return { result: { context: context(), value: params[0].map(() => null) } };
    case 'getBlock': {
      const block = params[0] > head ? undefined : blocks.get(params[0]);
      if (block === undefined) return { error: missing };
      return params[1].transactionDetails === 'none' ? { result: headerOf(block) } : { block };
    }
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}

function headerOf({ slot, hash }) {
  return {
    blockHeight: slot,
    blockTime: 1_780_000_000 + Math.floor((slot - first) / 5),
    blockhash: hash,
    parentSlot: slot - 1,
    previousBlockhash: blocks.get(slot - 1)?.hash ?? GENESIS,
  };
}

function partsOf(id, block) {
  const rewards = [
    { pubkey: GENESIS, lamports: block.reward, postBalance: 1, rewardType: 'Fee', commission: null },
  ];
  const start = JSON.stringify({ ...headerOf(block), rewards }).slice(0, -1);
  return [
    Buffer.from(`{"jsonrpc":"2.0","result":${start},"transactions":[`),
    fixed,
    Buffer.from(','),
    block.own,
    Buffer.from(`]},"id":${JSON.stringify(id)}}`),
  ];
}

createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString());
    if (req.url === '/control') {
      head = body.head;
      return res.end('{}');
    }
    const { block, ...rest } = answer(body.method, body.params ?? []);
    const parts =
      block === undefined
        ? [Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...rest, id: body.id }))]
        : partsOf(body.id, block);
    res.writeHead(200, {
      'content-type': 'application/json',
      'content-length': parts.reduce((sum, { length }) => sum + length, 0),
    });
    for (const part of parts) res.write(part);
    res.end();
  });
}).listen(Number(port), '127.0.0.1', () => console.log(`ready ${blocks.size}`));
