// SPDX-License-Identifier: Apache-2.0
import { connect } from 'node:net';
import { startTelemetry } from '@chainwatch/platform/telemetry';
import { startTraceCollector, waitFor, type CollectedSpan } from '@chainwatch/testing';
import { answerResult, sendJson, startSpecNode } from './spec-node.ts';
import { startSpecWorld } from './spec-world.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const attributesOf = ({ name, isFailed, attributes }: CollectedSpan): unknown => [
  name,
  isFailed,
  attributes['error.type'],
];

it('a call is a span in the trace of the caller, with one for each request to a node, and tells no secret', async () => {
  const collector = await startTraceCollector();
  const telemetry = await startTelemetry({ serviceName: 'spec', endpoint: collector.url });
  const [world, first, second] = await Promise.all([startSpecWorld(), startSpecNode(), startSpecNode()]);
  const urls = [first, second].map(({ url }) => `${url}/hunter2?token=hunter2`);
  const gateway = await world.open({ 'eip155:1': urls });
  await waitFor(() => {
    const chain = gateway.directory.find('ethereum')!;
    return chain.upstreams.every((upstream) => chain.serves(upstream));
  });
  for (const node of [first, second]) node.answer = (_seen, res) => sendJson(res, { body: '', status: 503 });
  // In two pieces: what is asked when the body is complete belongs to its call.
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x01","latest"]}';
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => (text += String(chunk))).on('close', () => resolve(text));
    const head = [
      ...['POST /ethereum HTTP/1.1', 'Host: x', 'Connection: close', 'Content-Type: application/json'],
      ...[`X-Api-Key: ${world.project.keys.rpc}`, `Traceparent: 00-${TRACE}-b7ad6b7169203331-01`],
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 20)}`);
    setTimeout(() => socket.write(body.slice(20)), 50);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 50[23] /);
  first.answer = second.answer = answerResult('"0x7"');
  await waitFor(async () => {
    const response = await fetch(`${gateway.url}/ethereum`, {
      method: 'POST',
      body: body.replace('0x01', '0x02'),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${world.project.keys.rpc}` },
    });
    return (await response.text()).includes('0x7');
  });
  await world.stop();
  await Promise.all([first.stop(), second.stop(), telemetry.stop()]);
  collector.stop();
  const { spans } = collector;
  const called = spans.filter(({ traceId }) => traceId === TRACE);
  const served = called.find(({ kind }) => kind === 'server');
  // Beside them: the statement that looks up the key.
  const asked = called.filter(({ attributes }) => 'rpc.system' in attributes);
  expect(served).toMatchObject({ name: 'POST /{network}', kind: 'server', parentSpanId: 'b7ad6b7169203331' });
  expect(served!.isFailed).toBe(true);
  expect(new Set(asked.map((span) => span.parentSpanId))).toEqual(new Set([served!.spanId]));
  expect(asked.length).toBeGreaterThanOrEqual(2);
  for (const span of asked) expect(attributesOf(span)).toEqual(['eth_getBalance', true, '503']);
  expect(new Set(asked.map(({ attributes }) => attributes['server.port'])).size).toBe(2);
  const fine = spans.filter(({ name, isFailed }) => name === 'eth_getBalance' && !isFailed);
  expect(fine).toMatchObject([{ attributes: { 'rpc.system': 'jsonrpc', 'server.address': '127.0.0.1' } }]);
  const text = JSON.stringify(spans);
  expect(text).not.toContain('hunter2');
  expect(text).not.toContain(world.project.keys.rpc);
});
