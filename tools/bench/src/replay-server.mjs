// SPDX-License-Identifier: Apache-2.0
/**
 * An EVM node made of recorded replies, as fast as a node can be: every block and its receipts are held as the exact
 * bytes that anvil sent. `POST /control {"head": n}` moves the head and tells `newHeads` subscribers.
 * Run as its own process: node replay-server.mjs <recording.ndjson> <port> <chain id> [traces]
 */
import { createServer } from 'node:http';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { WebSocketServer } from 'ws';

const [, , file, port, chainId, mode] = process.argv;
/** number → {hash, header, full, receipts, traces} as JSON text. */
const blocks = [];
const byHash = new Map();
for await (const line of createInterface({ input: createReadStream(file) })) {
  const at = line.indexOf('\t');
  const [number, hash] = JSON.parse(line.slice(0, at));
  const [header, full, receipts, traces] = line.slice(at + 1).split('\t');
  const entry = { number, hash, header, full, receipts, traces };
  blocks[number] = entry;
  byHash.set(hash, entry);
}
let head = 0;
const sockets = new Map();

const hex = (value) => `"0x${value.toString(16)}"`;
const numberOf = (tag) =>
  tag === 'latest' || tag === 'pending'
    ? head
    : tag === 'finalized' || tag === 'safe'
      ? Math.max(0, head - 2)
      : Number(tag);

function answer({ method, params = [] }) {
  switch (method) {
    case 'eth_chainId':
      return hex(Number(chainId));
    case 'net_version':
      return `"${chainId}"`;
    case 'web3_clientVersion':
      return '"replay/1"';
    case 'eth_syncing':
      return 'false';
    case 'eth_blockNumber':
      return hex(head);
    case 'eth_getBlockByNumber':
      return pick(blocks[numberOf(params[0])], params[1]);
    case 'eth_getBlockByHash':
      return pick(byHash.get(params[0]), params[1]);
    case 'eth_getBlockReceipts': {
      const ref = params[0];
      const entry = byHash.get(typeof ref === 'object' ? ref.blockHash : ref) ?? blocks[numberOf(ref)];
      return entry === undefined || entry.number > head ? 'null' : entry.receipts;
    }
    case 'trace_block': {
      const entry = blocks[numberOf(params[0])];
      if (mode !== 'traces') return undefined;
      return entry === undefined || entry.number > head ? 'null' : entry.traces;
    }
    case 'eth_getBalance':
      return '"0xde0b6b3a7640000"';
    case 'eth_getCode':
      return '"0x60"';
    case 'eth_call':
      return callReply(params[0]?.data ?? params[0]?.input ?? '0x');
    default:
      return undefined;
  }
}

const pick = (entry, full) =>
  entry === undefined || entry.number > head ? 'null' : full ? entry.full : entry.header;

const word = (value) => value.toString(16).padStart(64, '0');
function callReply(data) {
  const selector = data.slice(0, 10);
  if (selector === '0x313ce567') return `"0x${word(18)}"`; // decimals()
  if (selector === '0x95d89b41' || selector === '0x06fdde03')
    return `"0x${word(32)}${word(4)}${Buffer.from('TEST').toString('hex').padEnd(64, '0')}"`;
  return `"0x${word(10n ** 18n)}"`;
}

function reply(call) {
  const result = answer(call);
  const id = JSON.stringify(call.id ?? null);
  return result === undefined
    ? `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"the method ${call.method} does not exist"}}`
    : `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}

const server = createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString());
    if (req.url === '/control') {
      head = body.head;
      for (const [socket, id] of sockets)
        socket.send(
          `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${blocks[head].header}}}`,
        );
      res.end('{}');
      return;
    }
    const text = Array.isArray(body) ? `[${body.map(reply).join(',')}]` : reply(body);
    res
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      .end(text);
  });
});
new WebSocketServer({ server }).on('connection', (socket) => {
  socket.on('message', (data) => {
    const call = JSON.parse(data.toString());
    if (call.method === 'eth_subscribe') {
      sockets.set(socket, '0x1');
      socket.send(`{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":"0x1"}`);
    } else socket.send(reply(call));
  });
  socket.on('close', () => sockets.delete(socket));
});
server.listen(Number(port), '127.0.0.1', () => console.log(`ready ${blocks.length}`));
