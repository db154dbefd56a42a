// SPDX-License-Identifier: Apache-2.0
import type { ChainClient, ChainEndpoint, ChainFamily, Network } from '@chainwatch/chain-core';
import { WrongChainError } from '@chainwatch/chain-core';
import { badGateway, unprocessableEntity } from '@chainwatch/common/problem';
import type { ApiDeps } from '../../api-deps.ts';
import { checkOutboundUrl } from '../../server/check-outbound-url.ts';

interface EndpointCheck {
  readonly network: Network;
  readonly family: Pick<ChainFamily, 'createClient'>;
  readonly endpoint: ChainEndpoint;
  /** Whether the node itself is asked which chain it serves. */
  readonly askNode: boolean;
  readonly signal: AbortSignal;
}

/** @throws ProblemError 422 for a blocked address or a node of another chain, 502 when the node does not answer */
export async function verifyEndpoint(
  check: EndpointCheck,
  deps: Pick<ApiDeps, 'dial' | 'settings'>,
): Promise<void> {
  await checkOutboundUrl(check.endpoint.endpointUrl, deps.dial);
  if (!check.askNode) return;
  let client: ChainClient | undefined;
  try {
    client = check.family.createClient({
      network: check.network,
      ...check.endpoint,
      dial: deps.dial,
      timeoutMs: deps.settings.nodeTimeoutMs,
    });
    await client.verifyChain(check.signal);
  } catch (error) {
    if (error instanceof WrongChainError) throw unprocessableEntity(error.publicMessage);
    throw badGateway(
      'The node could not be reached or did not answer as expected; use ?verify=false to store it all the same.',
      error,
    );
  } finally {
    client?.close();
  }
}
