// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { ScratchRepository } from '../scratch-repository.ts';

// An event type is a row of EVENTS: documents, enums, defaults, texts, filters and test messages follow from it.

const ROW = `  'transaction.blessed': {
    ...transactionEvent,
    subject: 'tx.confirmed',
    title: 'Transaction blessed',
    summary: 'A transaction was blessed',
    description: 'Such a transaction was blessed.',
    defaultFor: ['movements'],
    example: exampleIn('confirmed'),
  },
`;

const PROOF = `
  const { buildDocument } = await import('./apps/api-gateway/src/openapi/build-document.ts');
  const { operations } = await import('./apps/api-gateway/src/route-table.ts');
  const { buildTestEvent } = await import('./apps/api-gateway/src/routes/channels.test/build-test-event.ts');
  const { eventSchema } = await import('./apps/api-gateway/src/records/event.ts');
  const { buildAsyncApi } = await import('./apps/api-gateway/src/asyncapi/build-asyncapi.ts');
  const { CHANNEL_KINDS, eventTypeSchema, findChannelKind } = await import('./libs/channels/src/index.ts');
  const { matchesChannel } = await import('./libs/deliveries/src/schedule/find-wanted-events.ts');
  const type = 'transaction.blessed';
  const event = buildTestEvent('6f1d1f4e-0000-4000-8000-000000000001', type);
  const openapi = JSON.stringify(buildDocument(operations, { namespaceLabel: 'svc' }));
  const wants = (filters) => matchesChannel({ eventTypes: new Set([type]), filters }, event);
  console.log(JSON.stringify({
    isRecord: eventSchema.safeParse(event).success,
    isChoice: eventTypeSchema.safeParse(type).success,
    isWebhook: openapi.includes('"onTransactionBlessed"'),
    isComponent: openapi.includes('"TransactionBlessedEvent":'),
    isOnBus: JSON.stringify(buildAsyncApi('subscribers')).includes('"TransactionBlessedEvent"'),
    byDefault: CHANNEL_KINDS.filter((kind) => kind.defaultEventTypes.includes(type)).map(({ kind }) => kind),
    text: findChannelKind('telegram').render([JSON.stringify(event)]).split('\\n')[0],
    filtered: [wants({ direction: 'in' }), wants({ direction: 'out' })],
  }));
`;

it('needs one row', async () => {
  const scratch = new ScratchRepository();
  try {
    scratch.addText('libs/events/src/events.ts', ROW, '} as const satisfies Record<string, Row>');
    const output = execFileSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', PROOF],
      { cwd: scratch.dir, encoding: 'utf8' },
    );
    expect(JSON.parse(output)).toEqual({
      isRecord: true,
      isChoice: true,
      isWebhook: true,
      isComponent: true,
      isOnBus: true,
      byDefault: ['discord', 'nats', 'slack', 'telegram'],
      text: '<b>[test] +1 native coin to Example · eip155:1 · confirmed</b>',
      filtered: [true, false],
    });
    await scratch.writeSdk();
    await scratch.checkTypes('apps/dashboard');
    expect(scratch.addedFiles).toEqual([]);
    expect(Object.keys(scratch.addedLines)).toEqual(['libs/events/src/events.ts']);
  } finally {
    scratch.remove();
  }
}, 300_000);
