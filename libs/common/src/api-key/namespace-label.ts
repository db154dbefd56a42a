// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '../problem/index.ts';

/** `NAMESPACE_LABEL` of the configuration, `svc` by default: the first word of every key (decisions.md §1.1). */
export const NAMESPACE_LABEL_PATTERN = /^[a-z][a-z0-9]{1,9}$/;

export class InvalidNamespaceLabelError extends BaseError {
  readonly code = 'invalid_namespace_label';
  readonly retryable = false;
  constructor(label: unknown) {
    super(
      `expected a namespace label matching ${NAMESPACE_LABEL_PATTERN.source}, got ${JSON.stringify(label)}`,
    );
  }
}

/** @throws InvalidNamespaceLabelError */
export function checkNamespaceLabel(label: string): void {
  if (typeof label !== 'string' || !NAMESPACE_LABEL_PATTERN.test(label))
    throw new InvalidNamespaceLabelError(label);
}
