// SPDX-License-Identifier: Apache-2.0
import type { Hex } from 'viem';
import { findDisagreements } from '../compare.ts';
import { EvmChain } from '../evm/evm-chain.ts';
import { Harness } from '../harness.ts';
import type { Project } from '../project.ts';
import { Random } from '../random.ts';
import { Receiver } from '../receiver.ts';
import type { Watched } from '../test-chain.ts';
import { sendHostileText } from './hostile-api.ts';
import { HostileEvm } from './hostile-evm.ts';

const SEED = Number(process.env['SOAK_SEED'] ?? 1);
const CASES = Number(process.env['HOSTILE_CASES'] ?? 60);
const BLOCK_CASES = 20;
/** Blocks of many transfers. */
const [FLOODS, FLOOD_LOGS] = CASES > 100 ? [3, 100_000] : [1, 10_000];
/** What a victim waits for at most, however bad the neighbors are. */
const PATIENCE_MS = 60_000;

const harness = new Harness(new EvmChain({ args: ['--gas-limit', '200000000'] }));
/** Of the channels that the attacker makes; nobody looks at it. */
const elsewhere = new Receiver();
let hostile: HostileEvm;
let attacker: Project;
let victim: Project;
let watched: Watched[];
let [payer, payee, target, shared]: Hex[] = [];

beforeAll(async () => {
  await Promise.all([harness.start(), elsewhere.start()]);
  const random = new Random(SEED);
  hostile = new HostileEvm(harness.chain, random);
  await hostile.deploy();
  [, payer, payee, target, shared] = harness.chain.actor.accounts;
  victim = harness.project;
  watched = [await harness.watch(payee!)];
  attacker = await harness.newProject();
  for (const address of [target!, shared!]) await harness.watch(address, attacker);
}, 240_000);
afterAll(async () => {
  await harness.stop();
  await elsewhere.stop();
});

/** The victim is paid beside the attack, and has it in time. */
async function payVictim(): Promise<Hex[]> {
  const { actor } = harness.chain;
  return [
    await actor.sendEther(payer!, payee!, 5n),
    await actor.call(payer!, { contract: 'TestToken', name: 'mint', args: [payee, 3n] }),
  ];
}

async function expectTold(hashes: readonly Hex[]): Promise<void> {
  await harness.until('the victim to hear of its payments', PATIENCE_MS, async () => {
    const told = new Set(
      [...harness.receiver.events.values()]
        .filter(({ body }) => body['project_id'] === victim.id)
        .map(({ transactionHash }) => transactionHash),
    );
    return hashes.every((hash) => told.has(hash));
  });
  await harness.until('the balances of the victim', PATIENCE_MS, async () => {
    const faults = await harness.chain.findBalanceFaults(victim, watched);
    if (faults.length > 0) throw new Error(faults.join('\n'));
    return true;
  });
}

it(`tells a victim of its payments and balances beside ${CASES} hostile tokens`, async () => {
  let known: Hex[] = [];
  for (let done = 0; done < CASES; done += BLOCK_CASES) {
    const hashes = await payVictim();
    for (const token of known) await hostile.moveAgain(token, payer!, target!);
    known = [];
    for (let left = Math.min(BLOCK_CASES, CASES - done); left > 0; left -= 1)
      known.push(await hostile.attack(payer!, target!));
    hashes.push(...(await payVictim()));
    await harness.chain.mine();
    await expectTold(hashes);
  }
  await harness.settle();
  expect(await findDisagreements(harness, victim, watched)).toEqual([]);
}, 900_000);

it('goes on by itself from where the release before stood still', async () => {
  const { actor } = harness.chain;
  const token = await hostile.deployToken(7n);
  await hostile.move(token, { from: payer!, to: shared!, values: [7n] });
  await actor.mine();
  await harness.until('the balance to be known', PATIENCE_MS, async () => {
    const balances = await attacker.get<Record<string, string>>(`/addresses/${shared}/balances`);
    return balances[`${harness.chain.gid}/erc20:${token.toLowerCase()}`] !== undefined;
  });
  // What a failed step of that release left: the requests, for nothing of them was stored.
  await harness.services.kill('balance-service');
  const hashes = await payVictim();
  await hostile.move(token, {
    from: payer!,
    to: shared!,
    values: Array.from({ length: 9 }, () => 2n ** 256n - 1n),
  });
  await actor.mine();
  await harness.waitForCursor();
  await harness.services.start(['balance-service']);
  await expectTold(hashes);
  await harness.until('the incident', PATIENCE_MS, async () => {
    const own = await attacker.listAll<{ asset_gid: string | null }>('/incidents?statuses=open');
    return own.some(({ asset_gid: asset }) => asset?.endsWith(token.toLowerCase()) === true);
  });
}, 300_000);

it(`answers ${CASES} hostile texts with the name of the field, and tells the payments beside them`, async () => {
  const random = new Random(SEED + 1);
  const faults: string[] = [];
  for (let done = 0; done < CASES; done += BLOCK_CASES) {
    const hashes = await payVictim();
    for (let left = Math.min(BLOCK_CASES, CASES - done); left > 0; left -= 1) {
      const fault = await sendHostileText(attacker, random, { address: target!, url: elsewhere.url });
      if (fault !== undefined) faults.push(fault);
    }
    await harness.chain.actor.sendEther(payer!, target!, 1n);
    await harness.chain.mine();
    await expectTold(hashes);
  }
  expect([...new Set(faults)]).toEqual([]);
}, 900_000);

it('tells of a block of many transfers, and of the payments beside it', async () => {
  const { rpc, actor } = harness.chain;
  await rpc('evm_setBlockGasLimit', ['0x3b9aca00']);
  for (let block = 0; block < FLOODS; block += 1) {
    const hashes = await payVictim();
    for (let left = FLOOD_LOGS; left > 0; left -= 10_000)
      await hostile.flood(target!, Math.min(left, 10_000));
    await actor.mine();
    await expectTold(hashes);
  }
  await rpc('evm_setBlockGasLimit', ['0xbebc200']);
  await harness.settle(300_000);
  expect(await findDisagreements(harness, victim, watched)).toEqual([]);
}, 900_000);

it('stalls nowhere, and names what it set aside to the attacker alone', async () => {
  const { items } = await victim.get<{ items: unknown[] }>('/incidents?statuses=open');
  expect(items).toEqual([]);
  const own = await attacker.listAll('/incidents?statuses=open');
  for (const incident of own) expect(incident).toMatchObject({ kind: expect.stringMatching(/^poison:/) });
  // A busy machine may be late for a moment; what stands still stays so.
  await harness.until('the chain to go on', PATIENCE_MS, async () => {
    const { sync } = await victim.get<{ sync: { status: string } }>(`/blockchains/${harness.chain.gid}`);
    return ['following', 'degraded'].includes(sync.status);
  });
});
