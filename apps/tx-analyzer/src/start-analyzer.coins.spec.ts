// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { createFailoverClient, type Block, type ChainFamily, type Network } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import type { PostgresHandle } from '@chainwatch/testing';
import { SpecWorld } from './spec-world/spec-world.ts';

// Blocks of the coins beside Bitcoin, recorded, from a stand-in for their nodes to the coins and payments that are stored. That
// addresses and amounts are right is proved by second decoders (libs/chain-bitcoin/src/coins.spec.ts).

interface Recorded {
  readonly height: number;
  readonly hash: string;
  readonly block: string;
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

const readVector = (name: string): Recorded => {
  const file = new URL(`../../../libs/chain-bitcoin/src/vectors/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Recorded;
};

/** Bitcoin Cash's block is one of its test network, which is a document as an operator would write it. */
const CHIPNET = {
  gid: 'bip122:000000001dd410c49a788668ce267517',
  family: 'bitcoin',
  name: 'bitcoin-cash-chipnet',
  short_name: 'tbch',
  display_name: 'Bitcoin Cash Chipnet',
  is_testnet: true,
  native: {
    gid: 'bip122:000000001dd410c49a788668ce267517/slip44:1',
    symbol: 'tBCH',
    name: 'Bitcoin Cash',
    decimals: 8,
  },
  token_namespace: 'slip44',
  confirmation: { type: 'depth', depth: 10 },
  block_time_ms: 600_000,
  traits: {
    identity: [{ height: 0, hash: '000000001dd410c49a788668ce26751718cc797474d3152a5fc073dd44fd9f7b' }],
    base58: { p2pkh: 111, p2sh: 196 },
    cash_addr_prefix: 'bchtest',
    cash_tokens_height: 121_957,
    transaction_order: 'canonical',
    coins_max: 21_000_000,
  },
};

let postgres: PostgresHandle;
let family: ChainFamily;
beforeAll(async () => {
  postgres = await SpecWorld.postgres();
  family = (await findFamily('bip122'))!;
});
afterAll(async () => {
  // Specs share the process.
  family.catalogue.override([]);
  await postgres.stop();
});

/** Answers as a node that has this block, and those by which its chain is known. */
async function startStandIn({ height, hash, block }: Recorded, { traits }: Network): Promise<Server> {
  const { identity } = traits as { identity: readonly { height: number; hash: string }[] };
  const answers: Readonly<Record<string, unknown>> = {
    getbestblockhash: hash,
    getblock: block,
    getblockheader: { hash, height },
  };
  const server = createServer((request: IncomingMessage, response) => {
    void (async () => {
      const asked = (await json(request)) as Call | Call[];
      const answer = ({ id, method, params }: Call) => {
        const result =
          method === 'getblockhash'
            ? [...identity, { height, hash }].find((known) => known.height === params[0])?.hash
            : answers[method];
        return result === undefined
          ? { id, result: null, error: { code: -32_601, message: 'Method not found' } }
          : { id, result, error: null };
      };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Outputs of a block with an address, and what became of each in it. */
function listOutputs({ transactions }: Block, network: Network) {
  const spenders = new Map(
    transactions.flatMap(({ hash, utxo }) =>
      utxo!.inputs.map(({ txid, vout }) => [`${txid}:${vout}`, hash] as const),
    ),
  );
  return transactions.flatMap(({ hash: txid, utxo }) =>
    utxo!.outputs.flatMap(({ matchKey, amountRaw }, vout) => {
      const address = family.utxo!.findAddress(network, matchKey);
      return address === undefined
        ? []
        : [
            {
              txid,
              vout,
              address,
              amount_raw: String(amountRaw),
              is_coinbase: utxo!.isCoinbase,
              spent_by: spenders.get(`${txid}:${vout}`) ?? null,
            },
          ];
    }),
  );
}

it.each([
  ['litecoin', 'litecoin-2383209', 12],
  ['dogecoin', 'dogecoin-371337', 8],
  ['bitcoin-cash-chipnet', 'bitcoin-cash-chipnet-121957', 17],
])('%s: every address of a recorded block has its coins and its payments', async (name, vector, count) => {
  const network = findNetwork(name) ?? family.catalogue.learn(CHIPNET);
  const recorded = readVector(vector);
  const node = await startStandIn(recorded, network);
  const { port } = node.address() as AddressInfo;
  const endpointUrl = `http://127.0.0.1:${port}`;
  const client = createFailoverClient([family.createClient({ network, endpointUrl })]);
  const world = await SpecWorld.start(postgres, { of: { network, utxo: family.utxo! }, mempoolPollMs: 0 });
  try {
    world.chain.client = () => client;
    const block = await client.readBlock({ number: recorded.height, hash: recorded.hash });
    const expected = listOutputs(block, network);
    expect(expected).toHaveLength(count);
    const project = await world.addProject();
    for (const address of new Set(expected.map((output) => output.address)))
      await world.watch(project, address);
    world.startAnalyzer();
    await world.feedBlocks({ ...block, transactions: [] });
    await world.settle();
    const stored = await world.rows(
      'SELECT txid, vout, address, amount_raw, is_coinbase, spent_by FROM utxos ORDER BY txid, vout',
    );
    expect(stored).toEqual(
      expected.toSorted((one, other) =>
        one.txid < other.txid ? -1 : one.txid > other.txid ? 1 : one.vout - other.vout,
      ),
    );
    const told = await world.rows<{ hash: string; asset_gid: string; total: string }>(
      `SELECT t.hash, m.asset_gid, sum(m.amount_raw)::text AS total FROM transactions t JOIN transfers m ON m.transaction_id = t.id
       WHERE m.to_address IS NOT NULL GROUP BY t.hash, m.asset_gid`,
    );
    const sums = new Map<string, bigint>();
    for (const { txid, amount_raw: amount } of expected)
      sums.set(txid, (sums.get(txid) ?? 0n) + BigInt(amount));
    expect(new Map(told.map(({ hash, total }) => [hash, BigInt(total)]))).toEqual(sums);
    expect(new Set(told.map((row) => row.asset_gid))).toEqual(new Set([network.native!.gid]));
  } finally {
    await world.stop();
    client.close();
    node.close();
  }
});

it('an address of a network that nobody has told this process of holds up no other chain', async () => {
  const network = findNetwork('dogecoin')!;
  const recorded = readVector('dogecoin-371337');
  const node = await startStandIn(recorded, network);
  const { port } = node.address() as AddressInfo;
  const client = createFailoverClient([
    family.createClient({ network, endpointUrl: `http://127.0.0.1:${port}` }),
  ]);
  const world = await SpecWorld.start(postgres, { of: { network, utxo: family.utxo! }, mempoolPollMs: 0 });
  try {
    world.chain.client = () => client;
    const project = await world.addProject();
    // Dash's, by its version 76.
    await world.watch(project, 'XbKzysY6LYGbsGwNG8B7K1BRoA1ffLodAT');
    await world.watch(project, 'DF3VYGvdkMpr8372DqsPnc2keByT7tSiQ6');
    world.startAnalyzer();
    const block = await client.readBlock({ number: recorded.height, hash: recorded.hash });
    await world.feedBlocks({ ...block, transactions: [] });
    await world.settle();
    expect(await world.rows('SELECT address FROM utxos')).toEqual([
      { address: 'DF3VYGvdkMpr8372DqsPnc2keByT7tSiQ6' },
    ]);
  } finally {
    await world.stop();
    client.close();
    node.close();
  }
});
