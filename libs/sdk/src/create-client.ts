// SPDX-License-Identifier: Apache-2.0
import { createCallOperation, type ClientOptions } from './call-operation.ts';
import { Events } from './events/events.ts';
import { createOperations, type Operations } from './generated/operations.ts';

export interface Chainwatch extends Operations {
  readonly events: Events;
}

/**
 * A client of one installation, by one key.
 *
 * @example
 * const chainwatch = createClient({ baseUrl: 'https://api.example.com/v1', apiKey: process.env.CHAINWATCH_API_KEY });
 * const address = await chainwatch.addresses.createExternal({ value: '0x…', chain_family: 'evm' });
 */
export function createClient(options: ClientOptions): Chainwatch {
  if (!/^https?:\/\/.+\/v\d+\/?$/.test(options.baseUrl))
    throw new TypeError(`expected a baseUrl such as https://api.example.com/v1, got ${options.baseUrl}`);
  if (typeof options.apiKey !== 'string' || options.apiKey === '')
    throw new TypeError('expected an apiKey, got none');
  const call = createCallOperation(options);
  return { ...createOperations(call), events: new Events(call, options) };
}
