// SPDX-License-Identifier: Apache-2.0
/** What a browser does with an address that names no host. The API's client keeps it: imported before that is. */
class PageRequest extends Request {
  constructor(input: string | URL | Request, init?: RequestInit) {
    super(typeof input === 'string' ? new URL(input, 'http://dashboard.invalid') : input, init);
  }
}

globalThis.Request = PageRequest;
