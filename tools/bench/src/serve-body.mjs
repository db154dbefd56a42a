// SPDX-License-Identifier: Apache-2.0
/** Answers every POST with one recorded body, as fast as a node can: node serve-body.mjs <file> */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const body = readFileSync(process.argv[2]);
const server = createServer((req, res) => {
  req.resume();
  req.on('end', () =>
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body),
  );
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
