// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { getAddress, toHex, type Hex } from 'viem';
import { playScript } from '../evm/play-script.ts';
import { Harness } from '../harness.ts';
import { Random } from '../random.ts';
import { askStatement, type BalanceLine, type StatementLines } from './ask-statement.ts';
import { EvmBooks } from './evm-books.ts';
import { WrappingChain } from './wrapping-chain.ts';

const SEED = Number(process.env['SOAK_SEED'] ?? 1);
const ADDED = 12_500_000_000_000_000_017n;

describe('a statement over a chain of random history', () => {
  const chain = new WrappingChain();
  const harness = new Harness(chain, {
    env: { STATEMENT_KEY: randomBytes(32).toString('base64'), BALANCE_ROUND_INTERVAL: '1s' },
  });
  let native: string;
  let contracts: Readonly<Record<'token' | 'wrapper' | 'feeToken' | 'rebasing' | 'otherWrapper', string>>;
  /** Watched before the period begins. */
  let wallets: readonly [Hex, Hex, Hex];
  beforeAll(async () => {
    await harness.start();
    native = `${chain.gid}/slip44:60`;
    const { token, feeToken, rebasing } = chain.actor.deployed;
    contracts = { token, feeToken, rebasing, wrapper: chain.wrapper, otherWrapper: chain.otherWrapper };
    const [first, , , , , sixth, seventh] = chain.actor.accounts.map((account) => getAddress(account));
    wallets = [sixth!, seventh!, first!];
    // So that transfers of the script have something to move.
    for (const contract of ['TestToken', 'FeeToken'] as const)
      for (const account of chain.actor.accounts)
        await chain.actor.call(first!, { contract, name: 'mint', args: [account, 10n ** 18n] });
    await chain.mine();
    for (const wallet of wallets) await harness.watch(wallet);
    await harness.settle();
  });
  afterAll(() => harness.stop());

  const gidOf = (contract: string): string => `${chain.gid}/erc20:${contract.toLowerCase()}`;
  const contractOf = (assetGid: string): string | undefined =>
    Object.values(contracts).find((contract) => gidOf(contract) === assetGid);
  const nextSecond = async (): Promise<Date> =>
    new Date((await chain.timeOf((await chain.readHead()).number)).getTime() + 1_000);
  const gapsOf = ({ gaps }: StatementLines, { address, asset_gid: asset }: BalanceLine) =>
    gaps.filter((gap) => gap.kind === 'unexplained' && gap.address === address && gap.asset_gid === asset);
  async function roundAfter(time: Date): Promise<void> {
    await harness.until('a round', 60_000, async () => {
      const { sync } = await harness.project.get<{ sync: { balances_checked_at: string | null } }>(
        `/blockchains/${chain.gid}`,
      );
      return sync.balances_checked_at !== null && new Date(sync.balances_checked_at) > time;
    });
  }

  /** In words: where the readings of a balance, or what explains them, are not the chain's. */
  async function findFaults(line: BalanceLine, books: EvmBooks): Promise<string[]> {
    const { address, opening, closing } = line;
    const name = `${address} ${line.asset_gid}`;
    if (opening === null || closing === null) return [`${name}: expected two readings`];
    const contract = contractOf(line.asset_gid);
    const faults: string[] = [];
    for (const reading of [opening, closing]) {
      const [hash, amount] = await Promise.all([
        books.hashOf(reading.block_number),
        books.balanceAt(address, contract, reading.block_number),
      ]);
      if (hash !== reading.block_hash) faults.push(`${name}: expected ${hash} of ${reading.block_number}`);
      if (String(amount) !== reading.amount_raw)
        faults.push(`${name}: expected ${amount}, got ${reading.amount_raw}`);
    }
    const told =
      contract === undefined
        ? BigInt(line.explained_raw)
        : await books.toldIn(address, contract, [opening.block_number + 1, closing.block_number]);
    if (String(told) !== line.explained_raw)
      faults.push(`${name}: expected ${told} to be explained, got ${line.explained_raw}`);
    const rest = BigInt(closing.amount_raw) - BigInt(opening.amount_raw) - told;
    if (String(rest) !== line.unexplained_raw)
      faults.push(`${name}: expected ${rest} to be unexplained, got ${line.unexplained_raw}`);
    return faults;
  }

  it('has the balances of the chain, explains all that is told, and says where something is not', async () => {
    const random = new Random(SEED);
    const from = await nextSecond();
    const { accounts } = chain.actor;
    const watched = await playScript(harness, random, {
      steps: 24,
      reorgDepthMax: 8,
      disturb: async () => {
        for (let count = 0; count < 3; count += 1)
          await chain.wrap(random, random.pick(accounts), random.pick(accounts));
        const transfer = { contract: 'FeeToken', name: 'transfer', args: [wallets[0], 1_000n] } as const;
        await chain.actor.call(random.pick(accounts.slice(7)), transfer);
      },
    });
    // What a reorganization left without its predecessor would come later.
    await chain.rpc('anvil_dropAllTransactions', []);
    await harness.settle();
    await roundAfter(new Date());
    const addresses = [...wallets, ...watched.map(({ address }) => getAddress(address))];
    const statement = await askStatement(harness, { addresses, from, to: await nextSecond() });

    const books = new EvmBooks(chain);
    const { number: head } = await chain.readHead();
    const untold = { feeToken: 0, rebasing: 0, otherWrapper: 0 };
    const faults: string[] = [];
    for (const line of statement.balances) {
      faults.push(...(await findFaults(line, books)));
      const contract = contractOf(line.asset_gid);
      // What is read at the end is still what the chain says.
      expect(line.closing!.amount_raw).toBe(String(await books.balanceAt(line.address, contract, head)));
      const gaps = gapsOf(statement, line);
      if (contract === undefined || [contracts.token, contracts.wrapper].includes(contract)) {
        expect([line.address, line.asset_gid, line.unexplained_raw, gaps]).toEqual([
          line.address,
          line.asset_gid,
          '0',
          [],
        ]);
        continue;
      }
      const range = [line.opening!.block_number, line.closing!.block_number] as const;
      const blocks = await books.untoldBlocks(line.address, contract, range);
      const sumIn = (low: number, high: number): bigint =>
        [...blocks].reduce(
          (sum, [block, amount]) => (block >= low && block <= high ? sum + amount : sum),
          0n,
        );
      expect(line.unexplained_raw).toBe(String(sumIn(0, head)));
      for (const gap of gaps)
        expect(gap.reason).toContain(` ${sumIn(gap.from_block!, gap.to_block!)} base units`);
      for (const block of blocks.keys())
        expect(gaps.filter((gap) => gap.from_block! <= block && block <= gap.to_block!)).toHaveLength(1);
      const name = Object.entries(contracts).find(([, each]) => each === contract)![0] as keyof typeof untold;
      untold[name] += blocks.size;
    }
    expect(faults).toEqual([]);
    expect(statement.balances.length).toBeGreaterThan(addresses.length * 3);
    for (const address of addresses)
      expect(statement.balances.some((line) => line.address === address && line.asset_gid === native)).toBe(
        true,
      );
    // Each of them happened: nothing above is held by nobody.
    for (const [name, count] of Object.entries(untold)) expect([name, count > 0]).toEqual([name, true]);
    expect(statement.balances.some(({ explained }) => explained['fee'] !== undefined)).toBe(true);
    expect(statement.gaps.some(({ kind }) => kind === 'late_opening')).toBe(true);
    expect(statement.gaps.filter(({ kind }) => kind === 'not_analysed' || kind === 'missing_blocks')).toEqual(
      [],
    );
  });

  it('takes what the token keeps of each transfer for unexplained', async () => {
    const [from, to] = wallets;
    const { actor } = chain;
    await actor.call(from, { contract: 'FeeToken', name: 'mint', args: [from, 1_000_000n] });
    await actor.mine();
    await harness.settle();
    const since = await nextSecond();
    for (const value of [50_000n, 70_000n]) {
      await actor.call(from, { contract: 'FeeToken', name: 'transfer', args: [to, value] });
      await actor.mine();
    }
    await harness.settle();
    const statement = await askStatement(harness, {
      addresses: [from, to],
      from: since,
      to: await nextSecond(),
    });
    const unexplained = statement.balances
      .filter((line) => line.asset_gid === gidOf(contracts.feeToken))
      .map((line) => [line.address, line.explained_raw, line.unexplained_raw]);
    expect(unexplained.sort()).toEqual(
      [
        [from, '-120000', '0'],
        [to, '120000', '-1200'],
      ].sort(),
    );
  });

  it('says between which blocks a coin came of which no transaction, log, or trace tells', async () => {
    const [wallet, other] = wallets;
    await roundAfter(new Date());
    const from = await nextSecond();
    const before = BigInt(await chain.rpc<Hex>('eth_getBalance', [wallet, 'latest']));
    const { number: since } = await chain.readHead();
    await chain.rpc('anvil_setBalance', [wallet, toHex(before + ADDED)]);
    await chain.mine();
    await harness.waitForCursor();
    await roundAfter(new Date());
    await chain.mine();
    await harness.waitForCursor();
    await roundAfter(new Date());
    await harness.settle();
    const statement = await askStatement(harness, {
      addresses: [wallet, other],
      from,
      to: await nextSecond(),
    });
    for (const line of statement.balances) {
      const isIt = line.address === wallet && line.asset_gid === native;
      expect([line.asset_gid, line.unexplained_raw]).toEqual([line.asset_gid, isIt ? String(ADDED) : '0']);
      const gaps = gapsOf(statement, line);
      expect(gaps).toHaveLength(isIt ? 1 : 0);
      if (!isIt) continue;
      expect(line.adjustments_raw).toBe(String(ADDED));
      expect(gaps[0]!.from_block).toBeLessThanOrEqual(since + 1);
      expect(gaps[0]!.to_block).toBeGreaterThan(since);
    }
  });

  it('declares the blocks that nobody has analysed, and has their movements once somebody has', async () => {
    const [wallet, payer] = wallets;
    const from = await nextSecond();
    const { number: cursor } = await chain.readHead();
    await harness.services.kill('tx-analyzer');
    await chain.actor.sendEther(payer, wallet, 4_711n);
    await chain.mine(5);
    await harness.until('the ingestor to know the blocks', 60_000, async () => {
      const { rows } = await harness.db.query<{ head_number: number }>(
        'SELECT head_number FROM ingestor_states WHERE chain_gid = $1',
        [chain.gid],
      );
      return rows[0]?.head_number === cursor + 5;
    });
    const period = { addresses: [wallet], from, to: await nextSecond() };
    const without = await askStatement(harness, period);
    expect(without.gaps).toContainEqual(
      expect.objectContaining({ kind: 'not_analysed', from_block: cursor + 1, to_block: cursor + 5 }),
    );
    expect(without.movements).toEqual([]);
    await harness.services.restart('tx-analyzer');
    await harness.settle();
    const complete = await askStatement(harness, period);
    expect(complete.gaps.filter(({ kind }) => kind !== 'late_opening')).toEqual([]);
    expect(complete.movements).toMatchObject([{ asset_gid: native, amount_raw: '4711', is_counted: true }]);
    expect(complete.balances.find((line) => line.asset_gid === native)).toMatchObject({
      explained: { transfer: '4711' },
      unexplained_raw: '0',
    });
  });
});
