// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { Report } from '../report.ts';
import { load } from './figures.ts';
import { requestOf, runLoad } from './load.ts';
import { startGateway, startNode } from './targets.ts';

const FUZZED = Number(process.env.BENCH_RPC_BODIES ?? 100_000);
const IDENTICAL = 10_000;

/** What must be the same through the gateway and direct, and what must be asked once. */
export async function benchIdentity(report: Report): Promise<void> {
  const node = await startNode('0');
  const gateway = await startGateway('1', [node]);
  try {
    await node.control({ mode: 'echo' });
    const bodies = makeBodies(FUZZED);
    const ask = async (port: number, path: string): Promise<string[]> => {
      const replies: string[] = [];
      await runLoad({
        port,
        count: bodies.length,
        connections: 64,
        request: (index) => requestOf(port, { path, key: gateway.key, body: bodies[index]! }),
        onSample: ({ status, body }, index) => (replies[index] = `${status} ${body}`),
      });
      return replies;
    };
    const [through, direct] = [await ask(gateway.port, gateway.path), await ask(node.port, '/')];
    const different = through.filter((reply, index) => reply !== direct[index]).length;
    report.add({
      name: 'RPC gateway: fuzzed bodies',
      goal: '100,000 through the gateway and direct: byte-identical',
      isMet: different === 0,
      measured: `${through.length.toLocaleString('en')} bodies, ${different} different`,
      detail: `calls with random ids, parameters, spacing, order and extra members, echoed by the node; ${load()}`,
    });
    await node.control({ mode: 'ok', delayMs: 3_000 });
    const wrong: string[] = [];
    await runLoad({
      port: gateway.port,
      count: IDENTICAL,
      connections: 200,
      pipelining: IDENTICAL / 200,
      request: (index) =>
        requestOf(gateway.port, {
          path: gateway.path,
          key: gateway.key,
          body: `{"jsonrpc":"2.0","id":${index},"method":"eth_call","params":[{"to":"0x1"},"latest"]}`,
        }),
      onSample: ({ body }, index) =>
        body === `{"jsonrpc":"2.0","id":${index},"result":"0x12345678"}` || wrong.push(body),
    });
    const { seen } = await node.control({ mode: 'ok', delayMs: 0 });
    report.add({
      name: 'RPC gateway: identical calls in flight',
      goal: '10,000 calls: 1 upstream call, 10,000 right ids',
      isMet: seen === 1 && wrong.length === 0,
      measured: `${seen} upstream ${seen === 1 ? 'call' : 'calls'}, ${IDENTICAL - wrong.length} right ids`,
      detail: `the node answers after 3 s; ${load()}`,
    });
  } finally {
    node.stop();
    await gateway.stopAll();
  }
}

/** Calls as odd as JSON lets them be, in bytes. */
function makeBodies(count: number): Buffer[] {
  const space = fc.constantFrom('', ' ', '\n', '\t ', '  ');
  const number = fc.constantFrom('0', '-1', '1.50', '18446744073709551616', '1e400', '21000000.00000000');
  const text = fc.string({ unit: 'grapheme', maxLength: 20 }).map((value) => JSON.stringify(value));
  const value = fc.oneof(
    number,
    text,
    fc.json({ maxDepth: 3 }),
    fc.constantFrom('{"a":1,"a":2}', '"\\u0041"', '[ ]'),
  );
  const method = fc.constantFrom(
    '"eth_estimateGas"',
    '"eth_\\u0063reateAccessList"',
    '"eth_getWork"',
    '"custom_method"',
  );
  const call = fc
    .record({
      id: fc.oneof(number, text, fc.constant('null')),
      params: fc.array(value, { maxLength: 4 }),
      method,
      space,
      extra: fc.option(value),
      isReversed: fc.boolean(),
    })
    .map(({ id, params, method: name, space: gap, extra, isReversed }) => {
      const members = [
        `"jsonrpc"${gap}:"2.0"`,
        `${gap}"id":${gap}${id}`,
        `"method":${name}`,
        `"params":[${params.join(`${gap},`)}]${gap}`,
        ...(extra === null ? [] : [`"x":${extra}`]),
      ];
      return `${gap}{${(isReversed ? members.reverse() : members).join(`,${gap}`)}}${gap}`;
    });
  return fc.sample(call, count).map((body) => Buffer.from(body));
}
