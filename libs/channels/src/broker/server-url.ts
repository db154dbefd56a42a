// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';

/** What a URL of one server of a kind looks like. */
interface UrlForm {
  /** With the colon: `redis:`. */
  readonly protocols: readonly string[];
  /** Of its path, the slash included. */
  readonly path: RegExp;
  readonly example: string;
  readonly description: string;
}

/** A URL of one server, without credentials, query, and fragment. */
export function serverUrl({ protocols, path, example, description }: UrlForm) {
  return z
    .string()
    .max(2_048)
    .superRefine((value, context) => {
      const url = URL.parse(value);
      const hasForm =
        url !== null &&
        protocols.includes(url.protocol) &&
        url.hostname !== '' &&
        path.test(url.pathname) &&
        url.search === '' &&
        url.hash === '';
      if (!hasForm) context.addIssue({ code: 'custom', message: `expected a URL such as ${example}` });
      else if (url.username !== '' || url.password !== '')
        context.addIssue({
          code: 'custom',
          message: 'expected a URL without user name and password; use auth instead',
        });
    })
    .meta({ format: 'uri', description, examples: [example] });
}
