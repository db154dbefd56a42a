/** A node of a local chain that signs for accounts of its own, as development nodes do. */
export interface FundedNode {
  readonly chainGid: string;
  readonly url: string;
  readonly account: string;
}

const ANSWER_MS_MAX = 5_000;
/** 0.01 of a coin of 18 decimals. */
const VALUE = '0x2386f26fc10000';

/** The first that lists accounts (`eth_accounts`). */
export async function findFundedNode(
  chains: Readonly<Record<string, unknown>>,
): Promise<FundedNode | undefined> {
  for (const [chainGid, node] of Object.entries(chains)) {
    const url = (node as { readonly endpoint_url?: unknown } | null)?.endpoint_url;
    if (typeof url !== 'string') continue;
    const accounts = await callNode(url, 'eth_accounts', []).catch(() => undefined);
    if (Array.isArray(accounts) && typeof accounts[0] === 'string')
      return { chainGid, url, account: accounts[0] };
  }
  return undefined;
}

/** Resolves to the hash of the transaction. */
export async function sendCoin({ url, account }: FundedNode, to: string): Promise<string> {
  return String(await callNode(url, 'eth_sendTransaction', [{ from: account, to, value: VALUE }]));
}

async function callNode(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (error !== undefined) throw new Error(`the local node answered ${method} with: ${error.message}`);
  return result;
}
