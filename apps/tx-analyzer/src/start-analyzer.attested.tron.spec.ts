// SPDX-License-Identifier: Apache-2.0
import { createFailoverClient, type Block, type ChainClient, type ChainFamily } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { contracts } from '@chainwatch/tool-devnet/evm';
import { startTron, type TronHandle } from '@chainwatch/tool-devnet/start-tron';
import { TronWallet } from '@chainwatch/tool-devnet/tron';
import { SpecProxy, type ChangeAnswer } from './spec-world/spec-proxy.ts';
import { incidents, reprocess } from './spec-world/spec-unknown.ts';
import { SpecWorld } from './spec-world/spec-world.ts';

const network = findNetwork('tron:0x7a69')!;
/** mint(address,uint256) */
const MINT = '40c10f19';
const word = (digits: string): string => digits.padStart(64, '0');

let postgres: PostgresHandle;
let tron: TronHandle;
let family: ChainFamily;
let world: SpecWorld;
let one: SpecProxy;
let two: SpecProxy;
/** With 5 TRC-20 tokens to the receiver, and with 7 sun to it. */
let credited: Block;
let paid: Block;

const account = (index: number) => tron.node.accounts[index]!;

beforeAll(async () => {
  [postgres, tron] = await Promise.all([SpecWorld.postgres(), startTron({ solidifiedLag: 2 })]);
  family = (await findFamily('tron'))!;
  const wallet = new TronWallet(tron.url);
  const { txid } = await wallet.deploy(account(0), contracts.TestToken.bytecode.slice(2));
  await tron.node.mine();
  const { contract_address: contract } = await wallet.call<{ contract_address: string }>(
    'wallet/gettransactioninfobyid',
    { value: txid },
  );
  [one, two] = await Promise.all([SpecProxy.start(tron.url), SpecProxy.start(tron.url)]);
  const client = connect(clientsOf([one.url]));
  await wallet.trigger(account(0), {
    contract,
    data: `${MINT}${word(account(1).hexAddress.slice(2))}${word('5')}`,
  });
  await tron.node.mine();
  credited = await client.readBlock(await client.readHead());
  await wallet.sendTrx(account(0), { to: account(1).hexAddress, sun: 7n });
  await tron.node.mine();
  paid = await client.readBlock(await client.readHead());
  client.close();
}, 60_000);
afterAll(() => Promise.all([one.stop(), two.stop(), tron.stop(), postgres.stop()]));
beforeEach(async () => {
  for (const endpoint of [one, two]) endpoint.reset();
  world = await SpecWorld.start(postgres, { of: { network }, pollMs: 100, attestWaitMs: 3_600_000 });
});
afterEach(() => world.stop());

const clientsOf = (urls: readonly string[]): ChainClient[] =>
  urls.map((endpointUrl) => family.createClient({ network, endpointUrl }));
const connect = (clients: readonly ChainClient[]) => createFailoverClient(clients, { cooldownMs: 0 });

/** Tokens that nobody sent: the log says more than happened. */
const inventing: ChangeAnswer = ({ method }, answer) =>
  method === '/wallet/gettransactioninfobyblocknum'
    ? JSON.parse(JSON.stringify(answer).replaceAll(word('5'), word('50')))
    : answer;

async function start(open: () => readonly ChainClient[]): Promise<void> {
  world.chain.client = () => connect(open());
  await world.db.query('UPDATE ingestor_states SET start_number = $1', [credited.number]);
  const receiver = family.parseAddress(account(1).address).canonical;
  await world.watch(await world.addProject(), receiver);
  world.startAnalyzer();
}
async function take(block: Block): Promise<void> {
  await world.feedBlocks(block);
  await world.feedFinalize(block);
  await world.settle();
}

const told = async () =>
  (await world.events()).map(({ type, payload }) => {
    const { transaction } = (
      JSON.parse(payload) as {
        data: { transaction: { verification: string; transfers: { amount_raw: string }[] } };
      }
    ).data;
    return `${type} ${transaction.transfers[0]!.amount_raw} ${transaction.verification}`;
  });
const untilTold = (count: number) =>
  waitFor(async () => (await told()).length === count, { intervalMs: 5, message: `${count} events` });

describe('a TRC-20 credit', () => {
  it('is attested by the only endpoint, also one that invents it; TRX to the same receiver is proved', async () => {
    one.change = inventing;
    await start(() => clientsOf([one.url]));
    await take(credited);
    await take(paid);
    expect(await told()).toEqual([
      'transaction.detected 80 attested',
      'transaction.confirmed 80 attested',
      'transaction.detected 7 proved',
      'transaction.confirmed 7 proved',
    ]);
  });

  it('is agreed by the endpoint of another operator, which is asked about it alone', async () => {
    await start(() => clientsOf([one.url, two.url]));
    await take(credited);
    await untilTold(2);
    await take(paid);
    expect(await told()).toEqual([
      'transaction.detected 5 attested',
      'transaction.confirmed 5 agreed',
      'transaction.detected 7 proved',
      'transaction.confirmed 7 proved',
    ]);
    expect(two.asked.filter((method) => method === '/wallet/gettransactioninfobyblocknum')).toHaveLength(1);
  });

  it('that a liar invents is withheld, and the truth is told after the liar was mended', async () => {
    one.change = inventing;
    await start(() => clientsOf([one.url, two.url]));
    await take(credited);
    await waitFor(async () => (await incidents(world)).length === 1, { message: 'the incident' });
    expect(await told()).toEqual(['transaction.detected 80 attested']);
    one.reset();
    await reprocess(world, credited.number, credited.number);
    await untilTold(4);
    expect((await told()).slice(1)).toEqual([
      'transaction.reorged 80 unproved',
      'transaction.detected 5 attested',
      'transaction.confirmed 5 agreed',
    ]);
    expect(await incidents(world)).toMatchObject([
      { kind: 'attestation:contradicted', status: 'resolved', is_contradicted: true },
    ]);
  });

  it('is not agreed by two URLs of one operator, and is withheld once the other operator is back', async () => {
    one.change = inventing;
    two.isAway = true;
    await start(() => clientsOf([one.url, `${one.url}/?key=2`, two.url]));
    await take(credited);
    expect(await told()).toEqual(['transaction.detected 80 attested']);
    two.isAway = false;
    await world.db.query('UPDATE unproved_transactions SET due_at = now()');
    await waitFor(async () => (await incidents(world)).length === 1, { message: 'the incident' });
    expect(await world.rows('SELECT verification, is_withheld FROM transactions')).toEqual([
      { verification: 'unproved', is_withheld: true },
    ]);
  });

  it('by an interface that shows logs alone is attested, and contradicted where its logs are others', async () => {
    one.change = inventing;
    await start(() => [
      family.createClient({ network, endpointUrl: tron.evmUrl, interfaceName: 'evm' }),
      family.createClient({ network, endpointUrl: one.url }),
    ]);
    await take(credited);
    await waitFor(async () => (await incidents(world)).length === 1, { message: 'the incident' });
    expect(await told()).toEqual(['transaction.detected 5 attested']);
  });
});
