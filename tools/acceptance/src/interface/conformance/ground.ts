// SPDX-License-Identifier: Apache-2.0
import { randomBytes, randomUUID } from 'node:crypto';
import { encodeDeployData, type Abi, type Hex } from 'viem';
import { waitFor } from '@chainwatch/testing';
import { startSpecNode, type SpecNode } from '../../../../../apps/rpc-proxy/src/spec-node.ts';
import { contracts } from '../../../../devnet/evm/contracts.ts';
import { connectAs, type Client, type Reply } from '../client.ts';
import type { InterfaceStack } from '../interface-stack.ts';
import { demand } from './demand.ts';
import { Observer } from './observer.ts';
import { codesOf } from './read-tables.ts';
import { sayingOf, type Specification } from './specification.ts';

/** What a client holds in its hand when it begins to read the specification line by line. */
export interface Ground {
  readonly specification: Specification;
  readonly stack: InterfaceStack;
  readonly observer: Observer;
  /** With a key of the project. */
  readonly api: Client;
  /** Something that exists, by the name of the path parameter; the address is an external one. */
  readonly values: Readonly<Record<string, string>>;
  readonly hdAddress: string;
  /** Hash of the transaction that the address received. */
  readonly transactionHash: string;
  /** A delivery that its receiver never answers, under way since the beginning. */
  readonly silent: { readonly channelId: string; readonly deliveryId: string };
  /** How long the RPC gateway waited for a node that never answers, and what it said then. */
  readonly silentCall: SilentCall;
  stop(): Promise<void>;
}

interface SilentCall {
  readonly ended: Promise<{ readonly elapsedMs: number; readonly reply: Reply }>;
}

/** Of the mnemonic "abandon … about", by what BIP-44, BIP-49 and BIP-84 call their prefixes. */
export const EXTENDED_KEYS = {
  xpub: {
    extended_public_key:
      'xpub6BosfCnifzxcFwrSzQiqu2DBVTshkCXacvNsWGYJVVhhawA7d4R5WSWGFNbi8Aw6ZRc1brxMyWMzG3DSSSSoekkudhUd9yLb6qx39T9nMdj',
    derivation_path: "m/44'/0'/0'",
  },
  ypub: {
    extended_public_key:
      'ypub6Ww3ibxVfGzLrAH1PNcjyAWenMTbbAosGNB6VvmSEgytSER9azLDWCxoJwW7Ke7icmizBMXrzBx9979FfaHxHcrArf3zbeJJJUZPf663zsP',
    derivation_path: "m/49'/0'/0'",
  },
  zpub: {
    extended_public_key:
      'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs',
    derivation_path: "m/84'/0'/0'",
  },
} as const;
/** In the reference data, and in the catalogue of this stack without a node of their own. */
export const CHAINS = {
  evm: 'eip155:1',
  bitcoin: 'bip122:000000000019d6689c085ae165831e93',
  solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  tron: 'tron:0x2b6653dc',
} as const;

/** A network of the RPC gateway with a name of its own (decisions.md §2). */
export const ALIASED = { gid: 'eip155:56', alias: 'bsc' } as const;

export async function layGround(stack: InterfaceStack, specification: Specification): Promise<Ground> {
  const { chain } = stack.harness;
  const api = watchHeaders(connectAs(stack.apiUrl, stack.tenant.keys.api), specification);
  const observer = new Observer();
  const [silentNode, talkingNode] = await Promise.all([
    startSpecNode(() => undefined),
    startSpecNode(undefined, { chainId: 56 }),
    observer.start(),
  ]);
  const [silent, silentCall] = await Promise.all([
    openSilentChannel(api, observer),
    stack
      .startRpc({ [CHAINS.evm]: [silentNode.url], [ALIASED.gid]: [talkingNode.url] })
      .then(() => callSilentNode(stack, silentNode)),
  ]);
  const address = chain.actor.accounts[5]!;
  const { webhook, publicKey, hdAddress } = await makeResources(api, observer, address);
  const transactionHash = await moveMoney(stack, address);
  await observer.find(
    'a delivery of the transaction',
    ({ headers }) => headers['x-webhook-event'] !== undefined,
  );
  await settleChain(stack, api, address);
  return {
    specification,
    stack,
    observer,
    api,
    hdAddress,
    transactionHash,
    silent,
    silentCall,
    values: {
      chain_gid: chain.gid,
      asset_path: `erc20:${chain.actor.deployed.token}`,
      block_number: String(stack.harness.startBlock + 1),
      public_key_id: publicKey.id,
      address,
      notification_channel_id: webhook.id,
      channel_id: webhook.id,
      chain: chain.gid,
    },
    async stop() {
      await silentCall.ended.catch(() => undefined);
      await Promise.all([observer.stop(), silentNode.stop(), talkingNode.stop()]);
    },
  };
}

/** One of everything that a path can name. */
async function makeResources(api: Client, observer: Observer, address: string) {
  for (const gid of Object.values(CHAINS))
    await make(api, { path: '/blockchains', body: { chain_gid: gid } });
  const [webhook, publicKey] = await Promise.all([
    make(api, {
      path: '/notification_channels/webhook',
      body: { name: 'ground', url: `${observer.url}/ground` },
    }),
    make(api, { path: '/public_keys', body: { ...EXTENDED_KEYS.zpub, label: 'ground' } }),
    make(api, { path: '/addresses/external', body: { value: address, chainFamily: 'evm', label: 'ground' } }),
    make(api, { path: '/addresses/external', body: { value: CHAINLESS_ADDRESS, chainFamily: 'evm' } }),
    make(api, {
      path: '/notification_channels/nats',
      body: {
        name: 'n',
        url: 'nats://user:password@127.0.0.1:9',
        subject: 'a.b',
      },
    }),
    make(api, {
      path: '/notification_channels/telegram',
      body: {
        name: 't',
        bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx',
        chat_id: 42,
      },
    }),
  ]);
  const { items } = (await make(api, {
    path: `/public_keys/${publicKey.id}/addresses`,
    body: {
      from: 0,
      to: 4,
    },
  })) as unknown as { items: { address: string }[] };
  return { webhook, publicKey, hdAddress: items[2]!.address };
}

/** Final blocks, one that was and is no more, and balances that are known. */
async function settleChain({ harness }: InterfaceStack, api: Client, address: string): Promise<void> {
  const { chain, services } = harness;
  await chain.finalize();
  await chain.rpc('anvil_reorg', [1, []]);
  await chain.actor.mine(2);
  await harness.waitForCursor();
  await services.waitReady('balance-service');
  await waitFor(
    async () => Object.keys((await api('GET', `/addresses/${address}/balances`)).body as object).length >= 2,
    { message: 'the balances of the address' },
  );
}

/** Watched, and never part of anything. */
const CHAINLESS_ADDRESS = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';

/** What nobody has, by the name of the path parameter. */
export function unknownValues(): Record<string, string> {
  const address = `0x${randomBytes(20).toString('hex')}`;
  return {
    chain_gid: 'eip155:424242',
    asset_path: `erc20:${address}`,
    block_number: '999999999',
    address,
    public_key_id: randomUUID(),
    notification_channel_id: randomUUID(),
    channel_id: randomUUID(),
    transaction_id: randomUUID(),
    portal_session_id: randomUUID(),
    workspace_id: randomUUID(),
    hash: `0x${randomBytes(32).toString('hex')}`,
  };
}

/** A request that has to succeed. */
export async function make(
  api: Client,
  {
    path,
    body,
    method = 'POST',
  }: { readonly path: string; readonly body?: unknown; readonly method?: string },
): Promise<{ readonly id: string } & Record<string, unknown>> {
  const reply = await api(method, path, body);
  demand(reply.status >= 200 && reply.status < 300, `${method} ${path} to succeed`, reply);
  return reply.body as never;
}

/** A webhook channel of its own: with its secret, and the path under which its deliveries arrive. */
export async function makeChannel({ api, observer }: Pick<Ground, 'api' | 'observer'>): Promise<{
  readonly id: string;
  readonly path: string;
  readonly secret: string;
}> {
  const path = `/${randomUUID()}`;
  const { id, webhook_secret } = await make(api, {
    path: '/notification_channels/webhook',
    body: {
      name: 'own',
      url: observer.url + path,
    },
  });
  return { id, path, secret: String(webhook_secret) };
}

/** A token contract that nobody asked for yet. */
export async function deployToken({ stack }: Ground): Promise<string> {
  const { actor, rpc } = stack.harness.chain;
  const { abi, bytecode } = contracts.TestToken;
  const hash = await rpc<Hex>('eth_sendTransaction', [
    {
      from: actor.accounts[0],
      data: encodeDeployData({ abi: abi as Abi, bytecode, args: [] }),
      gas: '0x2dc6c0',
    },
  ]);
  await actor.mine();
  return (await rpc<{ contractAddress: string }>('eth_getTransactionReceipt', [hash])).contractAddress;
}

export async function moveMoney({ harness }: InterfaceStack, to: Hex): Promise<string> {
  const { actor } = harness.chain;
  const hash = await actor.sendEther(actor.accounts[0]!, to, 1_500_000_000_000_000_000n);
  await actor.call(actor.accounts[0]!, { contract: 'TestToken', name: 'mint', args: [to, 2_500_000n] });
  await actor.mine();
  return hash;
}

/** What every response carries, whatever it answers. */
function watchHeaders(client: Client, specification: Specification): Client {
  const names = codesOf(sayingOf(specification, 'Every response carries '));
  demand(names.length === 3, 'three headers', names);
  return async (method, path, ...rest) => {
    const reply = await client(method, path, ...rest);
    for (const name of names)
      demand(/^\d+$/.test(reply.headers.get(name) ?? ''), `${name} of ${method} ${path}`, reply);
    return reply;
  };
}

async function openSilentChannel(api: Client, observer: Observer): Promise<Ground['silent']> {
  const { id } = await make(api, {
    path: '/notification_channels/webhook',
    body: {
      name: 'silent',
      url: `${observer.url}/silent`,
    },
  });
  return {
    channelId: id,
    deliveryId: (await make(api, { path: `/notification_channels/${id}/actions/test` })).id,
  };
}

async function callSilentNode({ rpcUrl, tenant }: InterfaceStack, node: SpecNode): Promise<SilentCall> {
  const call = connectAs(rpcUrl, tenant.keys.rpc);
  const isHealthy = async (): Promise<boolean> => {
    const { networks } = (await (await fetch(rpcUrl)).json()) as {
      networks: { chain_gid: string; status: string }[];
    };
    return networks.some(({ chain_gid: gid, status }) => gid === CHAINS.evm && status === 'healthy');
  };
  await waitFor(isHealthy, { message: `the RPC gateway to find ${node.url} well` });
  const startedAt = performance.now();
  const reply = call('POST', `/${CHAINS.evm}`, {
    jsonrpc: '2.0',
    id: 1,
    method: 'eth_getBalance',
    params: ['0x0000000000000000000000000000000000000001', 'latest'],
  });
  return { ended: reply.then((answer) => ({ elapsedMs: performance.now() - startedAt, reply: answer })) };
}
