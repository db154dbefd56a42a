// SPDX-License-Identifier: Apache-2.0
import type { Dial } from '@chainwatch/chain-core';
import {
  BlockedAddressError,
  OutboundUrlError,
  OwnServiceError,
  UnresolvableHostError,
  assertAllowedUrl,
} from '@chainwatch/outbound';
import { unprocessableEntity } from '@chainwatch/common/problem';

/**
 * Checks that a customer's URL leads out of the operator's network. A host that does not resolve now may do so later:
 * the dial checks again at each connection.
 * @throws ProblemError 422 if it resolves into a blocked range, or to a server of this service
 */
export async function checkOutboundUrl(
  url: string,
  dial: Dial,
  protocols?: readonly string[],
): Promise<void> {
  try {
    await assertAllowedUrl(url, dial, { protocols });
  } catch (error) {
    if (error instanceof UnresolvableHostError) return;
    if (
      error instanceof BlockedAddressError ||
      error instanceof OutboundUrlError ||
      error instanceof OwnServiceError
    )
      throw unprocessableEntity(error.publicMessage);
    throw error;
  }
}
