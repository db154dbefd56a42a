// SPDX-License-Identifier: Apache-2.0
import { HDKey } from '@scure/bip32';
import { createScriptKey, type ScriptKey, type ScriptKind } from '../../../devnet/bitcoin/index.ts';
import type { Project } from '../project.ts';
import type { Random } from '../random.ts';

/** Account 0 of a test network; SLIP-132 gives each purpose but 44' and 86' a prefix of its own. */
const PURPOSES: readonly {
  readonly purpose: number;
  readonly kind: ScriptKind;
  readonly publicVersion: number;
}[] = [
  { purpose: 44, kind: 'p2pkh', publicVersion: 0x043587cf },
  { purpose: 49, kind: 'p2sh-p2wpkh', publicVersion: 0x044a5262 },
  { purpose: 84, kind: 'p2wpkh', publicVersion: 0x045f1cf6 },
  { purpose: 86, kind: 'p2tr', publicVersion: 0x043587cf },
];
const PRIVATE_VERSION = 0x04358394;

interface NextAddress {
  readonly address: string;
  readonly index: number;
  readonly watched_from: Readonly<Record<string, number>>;
}

/** An account whose extended public key the project knows, and whose private keys the test has. */
export interface HdAccount {
  /** Registers the address at the next index. @throws Error when the service derives another address than this wallet */
  deriveNext(
    chainGid: string,
  ): Promise<{ readonly address: string; readonly fromBlock: number | undefined; readonly key: ScriptKey }>;
}

export async function registerHdAccount(
  project: Project,
  chainGid: string,
  random: Random,
): Promise<HdAccount> {
  const { purpose, kind, publicVersion } = random.pick(PURPOSES);
  const path = `m/${purpose}'/1'/0'`;
  const seed = Uint8Array.from({ length: 32 }, () => random.int(0, 255));
  const account = HDKey.fromMasterSeed(seed, { private: PRIVATE_VERSION, public: publicVersion }).derive(
    path,
  );
  const { status, body } = await project.request('POST', '/public_keys', {
    extended_public_key: account.publicExtendedKey,
    derivation_path: path,
    chain_gid: chainGid,
  });
  if (status !== 201)
    throw new Error(`expected 201 for the public key, got ${status} ${JSON.stringify(body)}`);
  const { id } = body as { id: string };
  return {
    async deriveNext(gid) {
      const answer = await project.request('POST', `/public_keys/${id}/addresses/next`);
      if (answer.status !== 201)
        throw new Error(
          `expected 201 for the next address, got ${answer.status} ${JSON.stringify(answer.body)}`,
        );
      const { address, index, watched_from: from } = answer.body as NextAddress;
      const key = createScriptKey(kind, account.derive(`m/0/${index}`).privateKey!);
      if (key.address !== address)
        throw new Error(`expected ${key.address} at ${path}/0/${index}, got ${address}`);
      return { address, fromBlock: from[gid], key };
    },
  };
}
