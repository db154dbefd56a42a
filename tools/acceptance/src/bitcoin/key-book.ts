// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { payments, script as scripts } from 'bitcoinjs-lib';
import {
  createScriptKey,
  SCRIPT_KINDS,
  type KeyedCoin,
  type ScriptKey,
  type TransactionOutput,
} from '../../../devnet/bitcoin/index.ts';
import type { Random } from '../random.ts';
import type { ViewCoin } from './chain-view.ts';

/** Below that nobody relays an output. */
export const VALUE_MIN = 1_000n;

const POINT = Buffer.from('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex');
/** OP_RETURN, P2PK and bare multisig: no address stands for them. */
const ODD_OUTPUTS: readonly TransactionOutput[] = [
  { script: payments.embed({ data: [Buffer.from('chainwatch')] }).output!, value: 0n },
  { script: scripts.compile([POINT, scripts.OPS.OP_CHECKSIG!]), value: VALUE_MIN },
  { script: payments.p2ms({ m: 1, pubkeys: [POINT, POINT] }).output!, value: VALUE_MIN },
];

/** Who there is on the chain, with scripts of every type. */
export class KeyBook {
  /** Who spends what it has. */
  readonly keys: ScriptKey[];
  /** Who only receives. */
  readonly strangers: readonly ScriptKey[];
  readonly #byScript = new Map<string, ScriptKey>();

  constructor(keys: number, strangers: number) {
    this.keys = Array.from({ length: keys }, (_, index) => this.#remember(makeKey('key', index)));
    this.strangers = Array.from({ length: strangers }, (_, index) =>
      this.#remember(makeKey('stranger', index)),
    );
  }

  /** One more that spends what it has. */
  add(key: ScriptKey): ScriptKey {
    this.keys.push(key);
    return this.#remember(key);
  }

  /** By the script's hex; undefined for scripts without an address. */
  addressOf(script: string): string | undefined {
    return this.#byScript.get(script)?.address;
  }

  /** Those of `coins` that a key spends. */
  own(coins: readonly ViewCoin[]): KeyedCoin[] {
    return coins.flatMap(({ txid, vout, value, script }) => {
      const key = this.#byScript.get(script);
      return key && this.keys.includes(key) && value >= VALUE_MIN ? [{ txid, vout, value, key }] : [];
    });
  }

  /** `total` in up to so many parts to keys and strangers, and now and then to somebody without an address. */
  split(random: Random, total: bigint, parts: number): TransactionOutput[] {
    const odd = total > VALUE_MIN * 10n && random.next() < 0.15 ? [random.pick(ODD_OUTPUTS)] : [];
    const rest = odd.reduce((left, { value }) => left - value, total);
    const count = rest < VALUE_MIN * BigInt(parts) * 10n ? 1 : parts;
    const weights = Array.from({ length: count }, () => BigInt(random.int(1, 10)));
    const all = weights.reduce((left, right) => left + right, 0n);
    const values = weights.map((weight) => (rest * weight) / all);
    values[0]! += rest - values.reduce((left, right) => left + right, 0n);
    return [
      ...values.map((value) => ({
        script: random.pick(random.next() < 0.85 ? this.keys : this.strangers).script,
        value,
      })),
      ...odd,
    ];
  }

  /** Whom a block's subsidy goes to; undefined: nobody. */
  pickMiner(random: Random): Uint8Array | undefined {
    return random.next() < 0.5 ? random.pick(this.keys).script : undefined;
  }

  #remember(key: ScriptKey): ScriptKey {
    this.#byScript.set(Buffer.from(key.script).toString('hex'), key);
    return key;
  }
}

function makeKey(name: string, index: number): ScriptKey {
  return createScriptKey(
    SCRIPT_KINDS[index % SCRIPT_KINDS.length]!,
    createHash('sha256').update(`${name} ${index}`).digest(),
  );
}
