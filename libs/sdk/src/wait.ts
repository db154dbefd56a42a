// SPDX-License-Identifier: Apache-2.0
/** Resolves after so many milliseconds. @throws the reason of the signal, once it is aborted */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', stop);
    function done(): void {
      signal?.removeEventListener('abort', stop);
      resolve();
    }
    function stop(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      reject(signal?.reason);
    }
  });
}
