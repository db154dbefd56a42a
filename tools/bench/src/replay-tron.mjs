// SPDX-License-Identifier: Apache-2.0
/**
 * A TRON node made of recorded answers of the wallet API, as fast as a node can be.
 * Run as its own process: node replay-tron.mjs <recording.tsv> <port>
 */
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const [, , file, port] = process.argv;
/** number → {header, block, infos} as JSON text. */
const byNumber = new Map();
const byId = new Map();
for await (const line of createInterface({ input: createReadStream(file) })) {
  const [number, id, header, block, infos] = line.split('\t');
  const entry = { header, block, infos };
  byNumber.set(Number(number), entry);
  byId.set(id, entry);
}

function answer(path, body) {
  switch (path) {
    case '/wallet/getblockbyid':
      return byId.get(body.value)?.block;
    case '/wallet/getblock':
      return (byId.get(body.id_or_num) ?? byNumber.get(Number(body.id_or_num)))?.header;
    case '/wallet/gettransactioninfobyblocknum':
      return byNumber.get(body.num)?.infos;
    default:
      return undefined;
  }
}

createServer((req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    const text = answer(req.url, JSON.parse(Buffer.concat(chunks).toString() || '{}')) ?? '{}';
    res
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      .end(text);
  });
}).listen(Number(port), '127.0.0.1', () => console.log(`ready ${byId.size}`));
