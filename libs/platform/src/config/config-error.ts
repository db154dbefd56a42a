// SPDX-License-Identifier: Apache-2.0
import { BaseError } from '@chainwatch/common/problem';

/** Names every wrong variable at once, one per line, without their values: they may be secrets. */
export class ConfigError extends BaseError {
  readonly code = 'config_invalid';
  readonly retryable = false;
  readonly problems: readonly { readonly name: string; readonly reason: string }[];
  constructor(problems: readonly { readonly name: string; readonly reason: string }[]) {
    const lines = problems.map(({ name, reason }) => `  ${name}: ${reason}`);
    super(
      `The configuration is not usable, ${problems.length} ${problems.length === 1 ? 'variable is' : 'variables are'} wrong:\n${lines.join('\n')}`,
    );
    this.problems = problems;
  }
}
