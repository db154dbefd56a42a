// SPDX-License-Identifier: Apache-2.0
import { AsyncLocalStorage } from 'node:async_hooks';

type Fields = Readonly<Record<string, unknown>>;

const storage = new AsyncLocalStorage<Fields>();

/** Every log line of `work`, and of whatever it starts, carries `fields`. */
export function withLogFields<T>(fields: Fields, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...fields }, work);
}

export function currentLogFields(): Fields | undefined {
  return storage.getStore();
}
