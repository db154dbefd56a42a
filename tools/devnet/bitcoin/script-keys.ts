// SPDX-License-Identifier: Apache-2.0
import { address, crypto, networks, payments, script, Transaction, type Payment } from 'bitcoinjs-lib';
import { createKeyPair, type KeyPair } from './key-pair.ts';

const network = networks.regtest;
const { OPS } = script;

export const SCRIPT_KINDS = ['p2pkh', 'p2sh', 'p2sh-p2wpkh', 'p2wpkh', 'p2wsh', 'p2tr'] as const;
export type ScriptKind = (typeof SCRIPT_KINDS)[number];

/** An output that this key's owner spends. */
export interface SpentOutput {
  readonly script: Uint8Array;
  readonly value: bigint;
}

/** A private key and the script that pays to it. */
export interface ScriptKey {
  readonly kind: ScriptKind;
  /** Of Bitcoin Core's regtest: `bcrt1…`, `2…`, `m…` or `n…`. */
  readonly address: string;
  readonly script: Uint8Array;
  /** Signs one input. `spent` are the outputs that all inputs of `transaction` spend, in their order (BIP-341 signs them all). */
  sign(transaction: Transaction, index: number, spent: readonly SpentOutput[]): void;
}

type ScriptMaker = (pair: KeyPair) => Omit<ScriptKey, 'kind'>;

/** @param secret 32 bytes. `p2sh` and `p2wsh` are 1-of-2 multisig with a key that nobody needs. */
export function createScriptKey(kind: ScriptKind, secret: Uint8Array): ScriptKey {
  return { kind, ...makers[kind](createKeyPair(secret)) };
}

const makers: Readonly<Record<ScriptKind, ScriptMaker>> = {
  p2pkh: (pair) => {
    const own = payments.p2pkh({ pubkey: pair.publicKey, network });
    return {
      ...receive(own),
      sign: (tx, index) =>
        tx.setInputScript(
          index,
          script.compile([signLegacy(pair, { tx, index, scriptCode: own.output! }), pair.publicKey]),
        ),
    };
  },
  p2sh: (pair) => {
    const redeem = multisigOf(pair);
    const sign: ScriptKey['sign'] = (tx, index) =>
      tx.setInputScript(
        index,
        script.compile([
          OPS.OP_0!,
          signLegacy(pair, { tx, index, scriptCode: redeem.output! }),
          redeem.output!,
        ]),
      );
    return { ...receive(payments.p2sh({ redeem, network })), sign };
  },
  'p2sh-p2wpkh': (pair) => {
    const redeem = payments.p2wpkh({ pubkey: pair.publicKey, network });
    const sign: ScriptKey['sign'] = (tx, index, spent) => {
      tx.setInputScript(index, script.compile([redeem.output!]));
      signWitnessKey(pair, { tx, index, spent });
    };
    return { ...receive(payments.p2sh({ redeem, network })), sign };
  },
  p2wpkh: (pair) => ({
    ...receive(payments.p2wpkh({ pubkey: pair.publicKey, network })),
    sign: (tx, index, spent) => signWitnessKey(pair, { tx, index, spent }),
  }),
  p2wsh: (pair) => {
    const redeem = multisigOf(pair);
    const sign: ScriptKey['sign'] = (tx, index, spent) =>
      tx.setWitness(index, [
        new Uint8Array(),
        signWitness(pair, { tx, index, scriptCode: redeem.output!, spent }),
        redeem.output!,
      ]);
    return { ...receive(payments.p2wsh({ redeem, network })), sign };
  },
  p2tr: (pair) => ({
    address: address.toBech32(pair.outputKey, 1, network.bech32),
    script: script.compile([OPS.OP_1!, pair.outputKey]),
    sign: (tx, index, spent) => tx.setWitness(index, [pair.signTaproot(hashTaproot(tx, index, spent))]),
  }),
};

function receive(payment: Payment): { address: string; script: Uint8Array } {
  return { address: payment.address!, script: payment.output! };
}

function multisigOf(pair: KeyPair): Payment {
  const other = createKeyPair(crypto.sha256(pair.publicKey));
  return payments.p2ms({ m: 1, pubkeys: [pair.publicKey, other.publicKey], network });
}

function signLegacy(
  pair: KeyPair,
  {
    tx,
    index,
    scriptCode,
  }: { readonly tx: Transaction; readonly index: number; readonly scriptCode: Uint8Array },
): Uint8Array {
  return encodeSignature(pair.sign(tx.hashForSignature(index, scriptCode, Transaction.SIGHASH_ALL)));
}

function signWitness(
  pair: KeyPair,
  {
    tx,
    index,
    scriptCode,
    spent,
  }: {
    readonly tx: Transaction;
    readonly index: number;
    readonly scriptCode: Uint8Array;
    readonly spent: readonly SpentOutput[];
  },
): Uint8Array {
  return encodeSignature(
    pair.sign(tx.hashForWitnessV0(index, scriptCode, spent[index]!.value, Transaction.SIGHASH_ALL)),
  );
}

/** BIP-143: the script that is signed for a P2WPKH input is the P2PKH one of the same key. */
function signWitnessKey(
  pair: KeyPair,
  {
    tx,
    index,
    spent,
  }: { readonly tx: Transaction; readonly index: number; readonly spent: readonly SpentOutput[] },
): void {
  const scriptCode = payments.p2pkh({ pubkey: pair.publicKey, network }).output!;
  tx.setWitness(index, [signWitness(pair, { tx, index, scriptCode, spent }), pair.publicKey]);
}

function hashTaproot(tx: Transaction, index: number, spent: readonly SpentOutput[]): Uint8Array {
  const scripts = spent.map((output) => output.script);
  const values = spent.map((output) => output.value);
  return tx.hashForWitnessV1(index, scripts, values, Transaction.SIGHASH_DEFAULT);
}

function encodeSignature(signature: Uint8Array): Uint8Array {
  return script.signature.encode(signature, Transaction.SIGHASH_ALL);
}
