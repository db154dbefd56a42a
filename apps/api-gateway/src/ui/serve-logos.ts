// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Router } from 'express';
import type { RequestHandler } from 'express';
import { findNetwork } from '@chainwatch/chain-registry';

const HEADERS = {
  'Cache-Control': 'public, max-age=86400',
  'Content-Security-Policy': "default-src 'none'",
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/**
 * `/logos/<network>.svg`: the file of that name, for a test network the one of its main network, else a disc with the first
 * letters of its name. Public, as images of a page are.
 * @param folder with the files; absent: discs alone
 */
export function serveLogos(folder: string | undefined): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/logos/:file', (req, res, next) => {
    const name = /^([a-z0-9-]{1,64})\.svg$/.exec(req.params.file)?.[1];
    const network = name === undefined ? undefined : findNetwork(name);
    if (network === undefined || network.name !== name) return next();
    res.set(HEADERS).type('image/svg+xml');
    // A fork may begin with the name of another coin.
    const main = network.isTestnet ? [network.name.split('-', 1)[0]!] : [];
    const file = [network.name, ...main]
      .map((each) => `${each}.svg`)
      .find((each) => folder !== undefined && existsSync(join(folder, each)));
    if (file === undefined) return res.send(drawDisc(network.name, network.displayName));
    res.sendFile(file, { root: folder!, cacheControl: false }, (error?: Error) => error && next(error));
  });
  return router;
}

/** The same name has the same color. */
function drawDisc(name: string, displayName: string): string {
  let hue = 0;
  for (const letter of name) hue = (hue * 31 + letter.charCodeAt(0)) % 360;
  const letters = displayName.replace(/[^\p{L}\p{N}]/gu, '').slice(0, 2);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="16" fill="hsl(${hue},55%,42%)"/><text x="16" y="21" font-family="sans-serif" font-size="14" font-weight="600" fill="#fff" text-anchor="middle">${letters}</text></svg>`;
}
