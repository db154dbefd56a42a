// SPDX-License-Identifier: Apache-2.0
import { loadExpressions, type ChannelFilters, type ChannelKind } from '@chainwatch/channels';
import { invalidRequest } from '@chainwatch/problem';
import type { ApiDeps } from '../server/api-deps.ts';
import { checkOutboundUrl } from '../server/check-outbound-url.ts';
import { canonicalizeFilters } from './canonicalize-filters.ts';

/**
 * Checks what the request's schema cannot, and resolves to what was given with its filters in one spelling. @throws
 * ProblemError 400, or 422 for a URL that leads into a blocked range
 */
export async function checkChannel<G extends { readonly filters?: unknown }>(
  kind: ChannelKind,
  given: G,
  { dial, settings }: Pick<ApiDeps, 'dial' | 'settings'>,
): Promise<G> {
  const context = {
    allowsHttp: settings.allowHttpWebhooks,
    checkUrl: (url: string, protocols: readonly string[]) => checkOutboundUrl(url, dial, protocols),
  };
  await kind.check?.(given, context, settings.channelOptions[kind.kind] ?? {});
  if (given.filters === undefined) return given;
  const filters = given.filters as ChannelFilters;
  if (typeof filters.expression === 'string') await checkExpression(filters.expression);
  return { ...given, filters: await canonicalizeFilters(filters) };
}

/** @throws ProblemError 400 with the line and column of what is refused */
async function checkExpression(text: string): Promise<void> {
  const { compileExpression, ExpressionError } = await loadExpressions();
  try {
    compileExpression(text);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw invalidRequest([{ name: 'filters.expression', reason: error.message }]);
  }
}
