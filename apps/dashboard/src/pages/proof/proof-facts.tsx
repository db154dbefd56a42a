// SPDX-License-Identifier: Apache-2.0
import type { Proof } from '../../api/proof-queries.ts';
import { Hash } from '../../ui/copy.tsx';
import { ExplorerLink } from '../../ui/explorer-link.tsx';
import { Fact, Facts } from '../../ui/panel.tsx';
import { Status, toWords } from '../../ui/status.tsx';
import { measureProof } from './measure-proof.ts';

/** Its type, block, and sizes, and how final the service says that the block is. */
export function ProofFacts({ proof }: { readonly proof: Proof }) {
  const { branches, items } = measureProof(proof);
  const { status, confirmations, required_confirmations: required } = proof.finality;
  return (
    <Facts>
      <Fact name="Type">
        <code className="font-mono">{proof.type}</code>
      </Fact>
      <Fact name="Block">
        <span className="tabular-nums">{proof.block_number.toLocaleString()}</span>
        <ExplorerLink
          chainGid={proof.chain_gid}
          about={{ block: { number: proof.block_number, hash: proof.block_hash } }}
        />
      </Fact>
      <Fact name="Block hash">
        <Hash text={proof.block_hash} isWhole />
        <span className="block text-faint">Reported by this service: not a second source.</span>
      </Fact>
      {proof.item !== null && (
        <Fact name="Index in block">
          <span className="tabular-nums">{proof.item.index.toLocaleString()}</span> (the first is 0)
        </Fact>
      )}
      <Fact name="Finality">
        <span className="flex flex-wrap items-center gap-2">
          <Status of={status} />
          <span className="tabular-nums">
            {confirmations.toLocaleString()} confirmations, {required.toLocaleString()} required
          </span>
        </span>
        <span className="block text-faint">Reported by this service. Not part of the proof.</span>
      </Fact>
      {branches.map(({ name, nodes, bytes }) => (
        <Fact key={name} name={`${toWords(name)} branch`}>
          <span className="tabular-nums">
            {nodes.toLocaleString()} {nodes === 1 ? 'node' : 'nodes'} · {bytes.toLocaleString()} bytes
          </span>
        </Fact>
      ))}
      {items.map(({ name, bytes }) => (
        <Fact key={name} name={toWords(name)}>
          <span className="tabular-nums">{bytes.toLocaleString()} bytes</span>
        </Fact>
      ))}
    </Facts>
  );
}
