// SPDX-License-Identifier: Apache-2.0
import { LyingRpc, type Call, type Reply } from '../lying-rpc.ts';

/** `forgetful`: a scan of coins lacks the first one. `inventive`: it has one that was never there. `deaf`: there are no scans. */
type ScanLie = 'forgetful' | 'inventive' | 'deaf';

interface Scan {
  readonly unspents: readonly object[];
}

const METHOD_NOT_FOUND = -32601;
/** BTC of a coin that was never there. */
export const INVENTED = 0.5;

/** A Bitcoin node that is wrong about coins. */
export class LyingBitcoinNode extends LyingRpc<ScanLie> {
  readonly #upstream: string;
  readonly #authorization: string;

  /** @param url with user and password */
  constructor(url: string) {
    const { username, password, origin } = new URL(url);
    super(origin);
    this.#upstream = origin;
    this.#authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  }

  protected override async freezeHead(): Promise<void> {
    // Its head is the node's.
  }

  protected override async ask(path: string, text: string): Promise<unknown> {
    const response = await fetch(this.#upstream + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: this.#authorization },
      body: text,
      signal: AbortSignal.timeout(20_000),
    });
    return response.json();
  }

  protected override bendReply(lie: ScanLie, { id, method, params = [] }: Call, reply: Reply): Reply {
    if (method !== 'scantxoutset' || params[0] !== 'start') return reply;
    if (lie === 'deaf')
      return { id, result: null, error: { code: METHOD_NOT_FOUND, message: 'Method not found' } };
    const result = reply.result as Scan;
    const unspents =
      lie === 'forgetful' ? result.unspents.slice(1) : [...result.unspents, invent(params[1] as string[])];
    return { ...reply, result: { ...result, unspents } };
  }
}

/** Of the first script that is asked for. */
function invent([descriptor = '']: readonly string[]): object {
  const scriptPubKey = /^raw\((.*)\)$/.exec(descriptor)?.[1];
  const coin = { txid: 'ab'.repeat(32), vout: 0, scriptPubKey, desc: descriptor };
  return { ...coin, amount: INVENTED, coinbase: false, height: 1 };
}
