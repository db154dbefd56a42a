// SPDX-License-Identifier: Apache-2.0
import { KEYS_PATH } from '../../api/statement-queries.ts';

/** The keys that verify statements, which anybody may read. */
export function KeysLink() {
  return (
    <a
      href={KEYS_PATH}
      target="_blank"
      rel="noopener"
      className="text-[13px] whitespace-nowrap text-accent-ink underline underline-offset-2"
    >
      Public signing keys
    </a>
  );
}
