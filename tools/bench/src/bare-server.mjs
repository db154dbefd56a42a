// SPDX-License-Identifier: Apache-2.0
/** `bare-server.mjs <json>`: Express as it comes, with one route that answers the JSON. Prints its port. */
import express from 'express';

const record = JSON.parse(process.argv[2]);
const app = express();
app.get('/v1/blockchains/:gid', (_req, res) => {
  res.json(record);
});
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
