// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../api/statement-queries.ts';
import { Hash } from '../../ui/copy.tsx';
import { Fact, Facts, Panel } from '../../ui/panel.tsx';
import { KeysLink } from './keys-link.tsx';

/** Who signed which bytes: what a receiver needs beside the document. */
export function SignaturePanel({
  signature: { kid, algorithm, sha256, value },
}: {
  readonly signature: NonNullable<Statement['signature']>;
}) {
  return (
    <Panel title="Signature" aside={<KeysLink />}>
      <Facts>
        <Fact name="Key ID (kid)">
          <Hash text={kid} isWhole />
        </Fact>
        <Fact name="Algorithm">{algorithm}</Fact>
        <Fact name="SHA-256">
          <Hash text={sha256} isWhole />
        </Fact>
        <Fact name="Signature">
          <Hash text={value} isWhole />
        </Fact>
      </Facts>
      <p className="mt-3 text-xs text-faint">
        The signature shows who signed the document, not that the chain agrees. Receivers should keep a copy
        of the public keys.
      </p>
    </Panel>
  );
}
