import type { RequestListener } from 'node:http';
import type { ChainDirectory } from '../chains/chain-directory.ts';
import type { Chain } from '../chains/chain.ts';

/** `GET {rpc_url}`: the networks with their names and health. Needs no key and tells no address of a node. */
export function createListListener(directory: ChainDirectory): RequestListener {
  return (req, res) => {
    req.resume();
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const body = JSON.stringify(isRead ? { networks: [...directory.chains].map(describe) } : { error: 'expected GET, or POST to a network' });
    res.writeHead(isRead ? 200 : 405, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), 'Cache-Control': 'no-store', ...(isRead ? {} : { Allow: 'GET, HEAD' }) });
    res.end(body);
  };
}

function describe(chain: Chain) {
  const { gid, name, displayName, aliases, family, isTestnet } = chain.network;
  return { chain_gid: gid, name, display_name: displayName, aliases, family, is_testnet: isTestnet, status: statusOf(chain), ...(chain.wallet && { wallet_status: statusOf(chain.wallet) }), head_number: chain.headNumber === -1 ? null : chain.headNumber };
}

/** `not_configured` without nodes, `degraded` while some of them serve. */
export function statusOf(chain: Chain): 'healthy' | 'degraded' | 'unavailable' | 'not_configured' {
  if (chain.upstreams.length === 0) return 'not_configured';
  const serving = chain.upstreams.filter((upstream) => chain.serves(upstream)).length;
  if (serving === 0) return 'unavailable';
  return serving === chain.upstreams.length ? 'healthy' : 'degraded';
}
