// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import type { ChainFamilyName } from '@chainwatch/chain-core';
import type { Exchange } from './replay-node.ts';

/**
 * What a family brings to its contract: `spec-contract/fixture.json` in its library, and a recording beside it, which
 * CONTRACT_RECORD_FAMILY and CONTRACT_RECORD_URL=<node> write.
 */
export interface ContractFixture {
  /** The local network of the recording (`recording.json` beside this), and another one of the family. */
  readonly network: string;
  readonly otherNetwork: string;
  readonly addresses: readonly {
    readonly input: string;
    readonly canonical: string;
    readonly display: string;
  }[];
  /** Written with a checksum: no character can be another one. */
  readonly checksummed: readonly string[];
  /** A token as a path writes it, and its CAIP-19 gid, where the family has tokens. */
  readonly token?: { readonly path: string; readonly gid: string };
  /** Methods, and fields of answers, that no header commits to: a node is believed there. */
  readonly unproved?: readonly string[];
  readonly whyUnproved?: string;
  /** Families whose addresses its nodes write as well. */
  readonly alsoReads?: readonly string[];
  /** Block by a hash that nobody has. */
  readonly unknownHash: string;
  readonly rpc: RpcFixture;
}

/** Methods of each kind. */
interface RpcFixture {
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly locked: readonly string[];
  /** The family whose recording its JSON-RPC is asked from, where its own has none and both local chains have one number. */
  readonly recordedBy?: string;
  /** What the node of the recording answers beside it, without parameters. */
  readonly alsoAnswers?: Readonly<Record<string, unknown>>;
  /** Of the interface of paths. */
  readonly paths?: { readonly served: readonly string[]; readonly refused: readonly string[] };
}

/** Said by a local node of the family with at least three blocks above genesis; some payments are in the last one. */
export interface Recording {
  readonly head: { readonly number: number; readonly hash: string };
  readonly exchanges: readonly Exchange[];
}

/** @throws where the family's library has none: without a fixture nothing is known of it */
export function readFixture(family: ChainFamilyName): ContractFixture {
  return JSON.parse(readFileSync(fileOf(family, 'fixture'), 'utf8')) as ContractFixture;
}

export function readRecording(family: ChainFamilyName): Recording {
  return JSON.parse(readFileSync(recordingFile(family), 'utf8')) as Recording;
}

export function recordingFile(family: ChainFamilyName): URL {
  return fileOf(family, 'recording');
}

function fileOf(family: ChainFamilyName, name: string): URL {
  return new URL(`../../../chain-${family}/src/spec-contract/${name}.json`, import.meta.url);
}
