// SPDX-License-Identifier: Apache-2.0
/**
 * What comes of a message; or `late`, where its answer takes longer than it is awaited. The message itself goes on then:
 * nothing that others use is ended.
 * @param send calls back when the message is on its way
 */
export function awaitAnswer<T>(
  answerMs: number | undefined,
  late: T,
  send: (sent: () => void) => Promise<T>,
): Promise<T> {
  if (answerMs === undefined) return send(() => undefined);
  return new Promise((resolve, reject) => {
    const sent = (): void => void setTimeout(resolve, answerMs, late);
    send(sent).then(resolve, reject);
  });
}
