// SPDX-License-Identifier: Apache-2.0
/** `node node.mjs <port>`: a node that costs next to nothing, and misbehaves on command (`POST /control {"mode": …}`). */
import { createServer } from 'node:http';

const small = Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x12345678"}');
const large = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${'a'.repeat(1_000_000)}"}`);
const piece = Buffer.alloc(1_000_000, 0x61);
const state = { mode: 'ok', head: 1_000, chainId: 1, delayMs: 0, tail: 0, seen: 0, writes: [] };
const hex = (number) => `0x${number.toString(16)}`;
const block = (number) => ({ number: hex(number), hash: `0x${number.toString(16).padStart(64, '0')}` });

/** Every node of a bench has the same head at the same time, unless it was told to stand still. */
const headOf = () =>
  state.mode === 'lag'
    ? state.head
    : 1_000 + Math.floor((Date.now() - Number(process.argv[3] ?? Date.now())) / 200);

function answer(call) {
  switch (call.method) {
    case 'eth_chainId':
      return hex(state.mode === 'wrong-chain' ? 5 : state.chainId);
    case 'eth_blockNumber':
      return hex(headOf());
    case 'eth_getBlockByNumber':
      return block(call.params[0] === 'latest' ? headOf() : headOf() - 10);
    default:
      return call.params;
  }
}

function send(res, body, status = 200) {
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  if (state.mode !== 'drip') return void res.end(body);
  let at = 0;
  const timer = setInterval(() => {
    if (res.destroyed || at >= body.length) return (clearInterval(timer), void res.end());
    res.write(body.subarray(at, (at += 1)));
  }, 1_000);
}

async function sendHuge(res, bytes) {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes });
  for (let left = bytes; left > 0; left -= piece.length) {
    if (!res.write(left < piece.length ? piece.subarray(0, left) : piece))
      await new Promise((resolve) => res.once('drain', resolve));
  }
  res.end();
}

function serve(body, res) {
  if (body.includes('"id":"health"')) {
    const call = JSON.parse(body);
    if (state.mode === '429') return send(res, Buffer.from('{"error":"slow down"}'), 429);
    return send(res, Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 'health', result: answer(call) })));
  }
  state.seen += 1;
  if (state.mode === '429') return send(res, Buffer.from('{"error":"slow down"}'), 429);
  if (state.mode === 'echo')
    return send(res, Buffer.concat([Buffer.from('{"result":'), body, Buffer.from('}')]));
  if (body.includes('eth_sendRaw')) state.writes.push(body.toString());
  if (body.includes('"slow"')) return void setTimeout(() => send(res, small), 500);
  const respond = () => {
    if (body.includes('"large"')) return send(res, large);
    if (body.includes('"huge"')) return void sendHuge(res, 100_000_000);
    if (state.delayMs > 0)
      return send(
        res,
        Buffer.from(`{"jsonrpc":"2.0","id":${/"id":(\d+)/.exec(body)[1]},"result":"0x12345678"}`),
      );
    if (!body.includes('"id":1,'))
      return send(
        res,
        Buffer.from(`{"jsonrpc":"2.0","id":${/"id":(\d+)/.exec(body)?.[1] ?? null},"result":"0x12345678"}`),
      );
    if (!body.includes('eth_blockNumber')) return send(res, small);
    send(res, Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result: hex(headOf()) })));
  };
  const delayMs = Math.random() < state.tail ? 300 : state.delayMs;
  if (delayMs === 0) respond();
  else setTimeout(respond, delayMs);
}

const server = createServer((req, res) => {
  const pieces = [];
  req.on('data', (bytes) => pieces.push(bytes));
  req.on('end', () => {
    const body = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    if (req.url !== '/control') return serve(body, res);
    const before = { seen: state.seen, writes: state.writes };
    const wanted = JSON.parse(body);
    if (wanted.mode === 'lag') state.head = headOf() - 50;
    Object.assign(state, { seen: 0, writes: [] }, wanted);
    res.end(JSON.stringify(before));
  });
});
server.keepAliveTimeout = 60_000;
server.listen({ port: Number(process.argv[2]), host: '127.0.0.1', backlog: 4_096 });
