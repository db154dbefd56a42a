// SPDX-License-Identifier: Apache-2.0
import { wrongInput } from './cli-error.ts';

/** Times as ISO 8601. @throws CliError for a period that ends before it begins */
export function checkPeriod({
  since,
  until,
}: {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}): void {
  if (since !== undefined && until !== undefined && until <= since)
    throw wrongInput('--until', 'expected a time after that of --since');
}
