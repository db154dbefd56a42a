// SPDX-License-Identifier: Apache-2.0
import { check, interpret, type Check } from './check.ts';
import { demand } from './demand.ts';
import { BODY_VALUES, ENDPOINT_SAMPLES } from './endpoint-samples.ts';
import { fill, sendSample, type Endpoint } from './send-sample.ts';
import { expectRefused } from './fields.ts';
import { make, type Ground } from './ground.ts';
import { codesOf } from './read-tables.ts';
import type { Sample } from './samples.ts';

type Phrase = readonly [RegExp, (match: RegExpExecArray, endpoint: Endpoint) => Check | readonly Check[]];

const PHRASES: readonly Phrase[] = [
  [
    /(?:none|path only)/,
    ([text], endpoint) =>
      check(`takes no body (${text})`, async (ground) => {
        const { status, body } = await sendSample(ground, endpoint);
        demand(status >= 200 && status < 300, 'success without a body', { status, body });
      }),
  ],
  [
    /body `\{(\w+)\}`(?: \(string(?:, node RPC URL)?\))?/,
    ([, name], endpoint) => textMember(endpoint, name!),
  ],
  [/body uses `(\w+)` \(string\) in the sample/, ([, name], endpoint) => textMember(endpoint, name!)],
  [
    /`\{(\w+(?:, \w+)*)\}`, all required/,
    ([, names], endpoint) =>
      names!.split(', ').map((name) =>
        check(`needs ${name}`, async ({ api }) => {
          const whole = Object.fromEntries(names!.split(', ').map((member) => [member, BODY_VALUES[member]]));
          await make(api, { path: endpoint.path, body: whole });
          const { [name]: _, ...rest } = whole;
          await expectRefused(api, { path: endpoint.path, body: rest, field: name });
        }),
      ),
  ],
  [
    /non-empty object with any of ((?:`\w+`(?:, )?)+)/,
    ([text], endpoint) => [
      check('takes no empty object', async (ground) => {
        const { status, body } = await sendSample(ground, endpoint, { body: {} });
        demand(status === 400, '400', { status, body });
      }),
      ...codesOf(text).map((name) =>
        check(`takes ${name} alone, and no other type`, async (ground) => {
          const { status, body } = await sendSample(ground, endpoint, {
            body: { [name]: BODY_VALUES[name] },
          });
          const record = (body ?? {}) as Sample;
          demand(status >= 200 && status < 300, 'success', { status, body });
          const shown = name in record ? record[name] : (record['config'] as Sample)[name];
          // What is sensitive may be left out, what is a URL masked.
          if (!['bot_token', 'url'].includes(name))
            demand(shown === BODY_VALUES[name], `${name} ${String(BODY_VALUES[name])}`, body);
          await refuseType(ground, endpoint, name);
        }),
      ),
    ],
  ],
  [
    /creates a webhook channel; body fields: not shown/,
    (_, endpoint) =>
      check('creates a webhook channel', async (ground) => {
        const { status, body } = await sendSample(ground, endpoint);
        demand(
          status >= 200 && status < 300 && (body as Sample)['kind'] === 'webhook',
          'a channel of kind webhook',
          { status, body },
        );
      }),
  ],
  [
    /updates a webhook channel; body fields: not shown/,
    (_, endpoint) =>
      check('updates a webhook channel', async (ground) => {
        const { status, body, target } = await sendSample(ground, endpoint, { body: { name: 'renamed' } });
        demand(status >= 200 && status < 300 && (body as Sample)['name'] === 'renamed', 'the new name', {
          status,
          body,
        });
        await make(ground.api, { path: target, body: { name: 'ground' }, method: 'PATCH' });
      }),
  ],
];

/** A cell that says what the body of a request is. */
export function bodyChecks(endpoint: Endpoint, request: string): readonly Check[] {
  return interpret(request, PHRASES, endpoint);
}

function textMember(endpoint: Endpoint, name: string): Check[] {
  return [
    check(`takes ${name}`, async (ground) => {
      const sample = await ENDPOINT_SAMPLES[`${endpoint.method} ${endpoint.path}`]!(ground);
      const { status, body } = await sendSample(ground, endpoint, {
        body: { [name]: (sample.body as Sample)[name] },
      });
      demand(status >= 200 && status < 300, 'success', { status, body });
    }),
    check(`needs ${name}, and as a string`, async (ground) => {
      await refuseType(ground, endpoint, name);
      const sample = await ENDPOINT_SAMPLES[`${endpoint.method} ${endpoint.path}`]!(ground);
      await expectRefused(ground.api, {
        path: fill(endpoint.path, { ...ground.values, ...sample.values }),
        body: {},
        field: name,
        method: endpoint.method,
      });
    }),
  ];
}

async function refuseType(ground: Ground, endpoint: Endpoint, name: string): Promise<void> {
  const sample = await ENDPOINT_SAMPLES[`${endpoint.method} ${endpoint.path}`]?.(ground);
  for (const value of [true, [], {}, null])
    await expectRefused(ground.api, {
      path: fill(endpoint.path, { ...ground.values, ...sample?.values }),
      body: { [name]: value },
      field: name,
      method: endpoint.method,
    });
}
