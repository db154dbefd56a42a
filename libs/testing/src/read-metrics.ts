// SPDX-License-Identifier: Apache-2.0
/**
 * What a scrape is answered, as series with their values: `chainwatch_lag_blocks{chain_gid="eip155:1"}`.
 * @param handle `Telemetry.handleMetrics`
 */
export async function readMetrics(
  handle: (req: never, res: never) => void,
): Promise<ReadonlyMap<string, number>> {
  const text = await new Promise<string>((resolve) => {
    const answer: object = { writeHead: () => answer, end: (body = '') => resolve(String(body)) };
    handle(undefined as never, answer as never);
  });
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}
