// SPDX-License-Identifier: Apache-2.0
/** JSON-RPC of the anvil behind the node. */
export type AnvilRpc = <T = unknown>(method: string, params?: readonly unknown[]) => Promise<T>;

/** What java-tron lets a constant call use: `vm.maxEnergyLimitForConstant`. */
const VIEW_ENERGY_MAX = '0x5f5e100';

/** Starts anvil as this node needs it: blocks on command, no price of gas, calls in anybody's name. */
export const anvilArgs = [
  '--no-mining',
  '--auto-impersonate',
  '--accounts',
  '1',
  '--balance',
  '0',
  '--gas-price',
  '0',
  '--block-base-fee-per-gas',
  '0',
  '--gas-limit',
  '10000000000',
  '--hardfork',
  'cancun',
  '--order',
  'fifo',
];

export interface CallFrame {
  readonly type: string;
  readonly from: string;
  readonly to?: string;
  readonly value?: string;
  readonly error?: string;
  readonly output?: string;
  readonly calls?: readonly CallFrame[];
}

export interface VmResult {
  readonly isFailed: boolean;
  readonly isOutOfGas: boolean;
  /** Of the run itself, without what a transaction costs before it. */
  readonly energy: number;
  readonly output: string;
  readonly logs: readonly {
    readonly address: string;
    readonly topics: readonly string[];
    readonly data: string;
  }[];
  readonly frame: CallFrame;
}

interface Receipt {
  readonly status: string;
  readonly gasUsed: string;
  readonly logs: VmResult['logs'];
}

/** A block of anvil's own, as its number in hex, or `latest`. */
export type VmState = string;

const INTRINSIC_GAS = 21_000;

/** The virtual machine and the TRX of every account: anvil, whose wei are sun here. */
export class AnvilVm {
  readonly #rpc: AnvilRpc;

  constructor(rpc: AnvilRpc) {
    this.#rpc = rpc;
  }

  /** Addresses are `41…` everywhere. */
  async readBalance(address: string, at: VmState = 'latest'): Promise<bigint> {
    return BigInt(await this.#rpc<string>('eth_getBalance', [toEvm(address), at]));
  }

  /** The state as it is now, for reads of it later. */
  async keepState(): Promise<VmState> {
    await this.#rpc('evm_mine');
    const state = await this.#rpc<VmState>('eth_blockNumber');
    // Until the next one, anvil tells its latest block with what was set since.
    await this.#rpc('evm_mine');
    return state;
  }

  async setBalance(address: string, sun: bigint): Promise<void> {
    await this.#rpc('anvil_setBalance', [toEvm(address), `0x${sun.toString(16)}`]);
  }

  async addBalance(address: string, sun: bigint): Promise<void> {
    if (sun !== 0n) await this.setBalance(address, (await this.readBalance(address)) + sun);
  }

  async readCode(address: string): Promise<string> {
    return this.#rpc<string>('eth_getCode', [toEvm(address), 'latest']);
  }

  async setCode(address: string, code: string): Promise<void> {
    await this.#rpc('anvil_setCode', [toEvm(address), code]);
  }

  snapshot(): Promise<string> {
    return this.#rpc<string>('evm_snapshot');
  }

  async revert(id: string): Promise<void> {
    if (!(await this.#rpc<boolean>('evm_revert', [id])))
      throw new Error(`anvil does not know snapshot ${id}`);
  }

  /** A view call; undefined output where it failed. */
  async view(
    to: string,
    { data, from, at = 'latest' }: { readonly data: string; readonly from: string; readonly at?: VmState },
  ): Promise<{ output: string } | { error: string }> {
    try {
      return {
        output: await this.#rpc<string>('eth_call', [
          { from: toEvm(from), to: toEvm(to), data: `0x${data}`, gas: VIEW_ENERGY_MAX },
          at,
        ]),
      };
    } catch (error) {
      return { error: (error as Error).message };
    }
  }

  async run(call: {
    from: string;
    to: string;
    data: string;
    value: bigint;
    energyLimit: number;
  }): Promise<VmResult> {
    const data = Buffer.from(call.data, 'hex');
    const intrinsic = data.reduce((sum, byte) => sum + (byte === 0 ? 4 : 16), INTRINSIC_GAS);
    const gas = intrinsic + call.energyLimit;
    const hash = await this.#rpc<string>('eth_sendTransaction', [
      {
        from: toEvm(call.from),
        to: toEvm(call.to),
        data: `0x${call.data}`,
        value: `0x${call.value.toString(16)}`,
        gas: `0x${gas.toString(16)}`,
        gasPrice: '0x0',
      },
    ]);
    await this.#rpc('evm_mine');
    const receipt = await this.#rpc<Receipt | null>('eth_getTransactionReceipt', [hash]);
    if (receipt === null) throw new Error(`anvil did not take in the call ${hash}`);
    const frame = await this.#rpc<CallFrame>('debug_traceTransaction', [hash, { tracer: 'callTracer' }]);
    const isFailed = receipt.status === '0x0';
    const used = Number(receipt.gasUsed);
    return {
      isFailed,
      isOutOfGas: isFailed && used >= gas,
      energy: Math.max(0, used - intrinsic),
      output: frame.output ?? '0x',
      logs: receipt.logs,
      frame,
    };
  }
}

const toEvm = (address: string): string => `0x${address.slice(2)}`;
