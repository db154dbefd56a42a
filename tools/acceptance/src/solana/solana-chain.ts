// SPDX-License-Identifier: Apache-2.0
import { PublicKey } from '@solana/web3.js';
import { startSolana, type SolanaHandle } from '@chainwatch/tool-devnet/start-solana';
import { NATIVE_MINT } from '../../../devnet/solana/index.ts';
import { findPastFaults, toRaw, waitForBlock } from '../compare.ts';
import type { Project } from '../project.ts';
import type { ExpectedTransaction, PayingChain, Watched } from '../test-chain.ts';
import { expectTransactions, readChanges } from './expect-transactions.ts';
import { SolanaActor } from './solana-actor.ts';

const FINALITY_SLOTS = 32;

/** LiteSVM behind Solana's JSON-RPC, which makes blocks on command. */
export class SolanaChain implements PayingChain {
  readonly gid = 'solana:localnet';
  readonly family = 'solana';
  readonly ingestor = 'block-ingestor-solana';
  readonly failure = 'outcome';
  readonly hasHistory = true;
  node!: SolanaHandle;
  actor!: SolanaActor;

  get url(): string {
    return this.node.url;
  }

  async start(): Promise<void> {
    this.node = await startSolana();
    this.actor = new SolanaActor(this.node);
    await this.actor.start();
  }

  async stop(): Promise<void> {
    await this.node?.stop();
  }

  async readHead(): Promise<{ number: number; hash: string }> {
    const number = await this.node.call<number>('getSlot', [{ commitment: 'confirmed' }]);
    const { blockhash } = await this.node.call<{ blockhash: string }>('getBlock', [
      number,
      { commitment: 'confirmed', transactionDetails: 'none' },
    ]);
    return { number, hash: blockhash };
  }

  get payee(): string {
    return this.actor.wallets[1]!.publicKey.toBase58();
  }

  async payPayee(): Promise<void> {
    const [from, to] = this.actor.wallets;
    await this.actor.pay(from!, { to: [to!.publicKey], lamports: 5_000_000n });
    await this.actor.mint(this.actor.mints[0]!, to!.publicKey, 7n);
  }

  mine(blocks = 1): Promise<void> {
    return this.actor.produce(blocks);
  }

  async finalize(): Promise<void> {
    await this.actor.produce(FINALITY_SLOTS + 2);
  }

  /** On the list of the project, so that an import finds what an address held before. */
  async prepare(project: Project): Promise<void> {
    for (const mint of [...this.actor.mints.map((one) => one.mint), NATIVE_MINT])
      await project.listToken(`${this.gid}/token:${mint.toBase58()}`);
  }

  expectTransactions(
    watched: ReadonlyMap<string, number>,
    from: number,
  ): Promise<Map<string, ExpectedTransaction>> {
    return expectTransactions(this.node, { chainGid: this.gid, watched, from });
  }

  async findBalanceFaults(project: Project, watched: readonly Watched[]): Promise<string[]> {
    const faults: string[] = [];
    const held = new Map([
      ...this.actor.mints.map(({ mint }) => [mint.toBase58(), 6] as const),
      [NATIVE_MINT.toBase58(), 9] as const,
    ]);
    for (const { address } of watched) {
      const balances = await project.get<Record<string, string>>(`/addresses/${address}/balances`);
      const { value: lamports } = await this.node.call<{ value: number }>('getBalance', [address]);
      const native = balances[`${this.gid}/slip44:1`];
      if ((toRaw(native, 9) ?? 0n) !== BigInt(lamports))
        faults.push(`${address}: expected ${lamports} lamports, got ${native}`);
      for (const [mint, decimals] of held) {
        const sum = await this.#readHeld(address, mint);
        const got = balances[`${this.gid}/token:${mint}`];
        if ((toRaw(got, decimals) ?? 0n) !== sum)
          faults.push(`${address}: expected ${sum} of ${mint}, got ${got}`);
      }
    }
    return [...faults, ...(await this.#findPastFaults(project, watched, held))];
  }

  /** What is there now, without what blocks changed since. */
  async #findPastFaults(
    project: Project,
    watched: readonly Watched[],
    mints: ReadonlyMap<string, number>,
  ): Promise<string[]> {
    const [first] = watched;
    if (first === undefined) return [];
    await this.mine();
    const { number: head } = await this.readHead();
    await waitForBlock(project, this.gid, { address: first.address, block: head });
    const blocks = await readChanges(this.node, Math.min(...watched.map(({ fromBlock }) => fromBlock)));
    return findPastFaults({
      ...{ project, gid: this.gid, watched, head },
      compare: async (address, block, balances) => {
        const faults: string[] = [];
        const compare = (
          asset: string,
          name: string,
          { now, decimals }: { now: bigint; decimals: number },
        ): void => {
          const since = blocks
            .filter(({ slot }) => slot > block)
            .reduce((sum, { changes }) => sum + (changes.get(`${address} ${asset}`) ?? 0n), 0n);
          const got = balances[`${this.gid}/${name}`];
          if ((toRaw(got, decimals) ?? 0n) !== now - since)
            faults.push(`${address} at ${block}: expected ${now - since} of ${name}, got ${got}`);
        };
        const { value: lamports } = await this.node.call<{ value: number }>('getBalance', [address]);
        compare('native', 'slip44:1', { now: BigInt(lamports), decimals: 9 });
        for (const [mint, decimals] of mints)
          compare(mint, `token:${mint}`, { now: await this.#readHeld(address, mint), decimals });
        return faults;
      },
    });
  }

  /** As an owner, or as a token account itself. */
  async #readHeld(address: string, mint: string): Promise<bigint> {
    const { value } = await this.node.call<{ value: { pubkey: string }[] }>('getTokenAccountsByOwner', [
      address,
      { mint },
      { encoding: 'base64' },
    ]);
    const info = await this.node.call<{ value: { data: [string, string] } | null }>('getAccountInfo', [
      address,
      { encoding: 'base64' },
    ]);
    const data = Buffer.from(info.value?.data[0] ?? '', 'base64');
    const isOwn = data.length >= 165 && data.subarray(0, 32).equals(new PublicKey(mint).toBuffer());
    let sum = 0n;
    for (const account of [...value.map(({ pubkey }) => pubkey), ...(isOwn ? [address] : [])]) {
      sum += BigInt(
        (await this.node.call<{ value: { amount: string } }>('getTokenAccountBalance', [account])).value
          .amount,
      );
    }
    return sum;
  }
}
