// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto';
import { waitFor } from '@chainwatch/testing';
import { verifySignature } from '@chainwatch/webhook-signature';
import { connectAs } from '../client.ts';
import { check, interpret, type Check } from './check.ts';
import { demand } from './demand.ts';
import { BODY_VALUES } from './endpoint-samples.ts';
import { expectRefused } from './fields.ts';
import { ALIASED, make, makeChannel, type Ground } from './ground.ts';
import { codesOf, type Row } from './read-tables.ts';
import { expectRefusal } from './rpc.ts';
import type { Sample } from './samples.ts';
import { expectOverlap } from './secrets.ts';
import { fill } from './send-sample.ts';

const SECRET = 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST';

/** By the three cells in one line. */
const LIMITS: readonly (readonly [RegExp, (match: RegExpExecArray) => Check | readonly Check[]])[] = [
  [
    /`(limit|page)` query parameter \| (?:(\d+)\.\.(\d+)|>= (\d+)), default (\d+) \| paginated lists/,
    ([, name, min, max, least, initial]) =>
      check(`holds on every paginated list`, async (ground) => {
        const lists = await findLists(ground);
        demand(lists.length >= 10, 'ten lists or more', lists);
        for (const path of lists) {
          const metaOf = async (query: string): Promise<unknown> =>
            (((await make(ground.api, { path: path + query, method: 'GET' }))['meta'] ?? {}) as Sample)[
              name!
            ];
          demand((await metaOf('')) === Number(initial), `${initial} where it is left out`, path);
          const right =
            least === undefined ? [Number(min), Number(max)] : [Number(least), Number(least) + 999];
          for (const value of right)
            demand((await metaOf(`?${name}=${value}`)) === value, `${value} to be taken`, path);
          for (const value of least === undefined ? [Number(min) - 1, Number(max) + 1] : [Number(least) - 1])
            await expectRefused(ground.api, {
              path: `${path}?${name}=${value}`,
              field: name!,
              method: 'GET',
            });
        }
      }),
  ],
  [
    /`search` \| (\d+)\.\.(\d+) characters \| notification channel list/,
    ([, min, max]) =>
      check('holds on the list of channels', async ({ api }) => {
        for (const length of [Number(min), Number(max)])
          await make(api, {
            path: `/notification_channels?search=${'a'.repeat(length)}`,
            method: 'GET',
          });
        for (const length of [Number(min) - 1, Number(max) + 1])
          await expectRefused(api, {
            path: `/notification_channels?search=${'a'.repeat(length)}`,
            field: 'search',
            method: 'GET',
          });
      }),
  ],
  [
    /channel `name` \| (\d+)\.\.(\d+) characters \| notification channels/,
    ([, min, max]) =>
      ['nats', 'telegram', 'webhook'].map((kind) =>
        textLimit(kind, { name: 'name', min: Number(min), max: Number(max) }),
      ),
  ],
  [
    /NATS `subject` \| (\d+)\.\.(\d+) characters \| channel kind `nats`/,
    ([, min, max]) => textLimit('nats', { name: 'subject', min: Number(min), max: Number(max) }),
  ],
  [
    /RPC request body \| (\d+) MB maximum \| RPC gateway/,
    ([, megabytes]) =>
      check(`takes ${megabytes} MB and no more`, async ({ stack }) => {
        const call = (bytes: number): string => {
          const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
          return text + ' '.repeat(bytes - text.length);
        };
        const ask = (bytes: number) =>
          connectAs(stack.rpcUrl, stack.tenant.keys.rpc)('POST', `/${ALIASED.alias}`, call(bytes));
        // A megabyte is a million bytes or 2^20: what lies between may be either.
        const fits = await ask(Number(megabytes) * 1_000_000);
        demand(fits.status === 200, '200', fits);
        expectRefusal(await ask(Number(megabytes) * 1_048_576 + 1), 413);
      }),
  ],
  [
    /RPC timeout \| (\d+) seconds \| RPC gateway/,
    ([, seconds]) =>
      check('is how long a node may take', async ({ silentCall }) => {
        const { elapsedMs, reply } = await silentCall.ended;
        demand(isWithin(elapsedMs, Number(seconds)), `${seconds} s`, elapsedMs);
        expectRefusal(reply, 504);
      }),
  ],
  [
    /Webhook timestamp tolerance \| (\d+) seconds either side \| webhook receivers/,
    ([, seconds]) =>
      check('is what the library for receivers allows', async () => {
        const now = 1_700_000_000;
        const hmacOf = (timestamp: number): string =>
          createHmac('sha256', SECRET).update(`${timestamp}.{}`).digest('hex');
        const isTaken = (timestamp: number): boolean =>
          verifySignature({
            header: `t=${timestamp},v1=${hmacOf(timestamp)}`,
            body: '{}',
            secret: SECRET,
            now,
          }).ok;
        const [allowed, beyond] = [Number(seconds), Number(seconds) + 1].map((distance) => [
          isTaken(now - distance),
          isTaken(now + distance),
        ]);
        demand(
          [...allowed!, ...beyond!.map((taken) => !taken)].every((right) => right),
          `${seconds} s to be taken and no more`,
          [allowed, beyond],
        );
      }),
  ],
  [
    /Webhook receiver response time \| (\d+) seconds \| webhook delivery/,
    ([, seconds]) =>
      check('is how long a receiver may take', async ({ api, silent }) => {
        const path = `/notification_channels/${silent.channelId}/deliveries/${silent.deliveryId}`;
        const attempt = await waitFor(
          async () =>
            (
              (await make(api, { path, method: 'GET' }))['attempts'] as {
                duration_ms: number;
                status_code: number | null;
              }[]
            )[0],
          { message: 'the first attempt to end' },
        );
        demand(
          attempt.status_code === null && isWithin(attempt.duration_ms, Number(seconds)),
          `no answer within ${seconds} s`,
          attempt,
        );
      }),
  ],
  [
    /Secret rotation overlap \| (\d+) hours \| webhook secrets/,
    ([, hours]) =>
      check(`lasts ${hours} hours`, async (ground) => {
        const { id } = await makeChannel(ground);
        await make(ground.api, { path: `/channels/${id}/webhook-secrets/actions/rotate` });
        expectOverlap(
          (
            await make(ground.api, {
              path: `/channels/${id}/webhook-secrets`,
              method: 'GET',
            })
          )['previous'],
          Number(hours),
        );
      }),
  ],
];

/** A row of the table of limits. */
export function limitChecks(row: Row): readonly Check[] {
  return interpret(Object.values(row.cells).join(' | '), LIMITS);
}

/** At least so long, and no second time as long: a slow machine is late by less. */
function isWithin(elapsedMs: number, seconds: number): boolean {
  return elapsedMs >= seconds * 1_000 - 50 && elapsedMs < seconds * 2_000;
}

function textLimit(
  kind: string,
  { name, min, max }: { readonly name: string; readonly min: number; readonly max: number },
): Check {
  return check(`holds for ${name} of ${kind} channels`, async ({ api, observer }) => {
    const path = `/notification_channels/${kind}`;
    const members = {
      nats: ['name', 'url', 'subject'],
      telegram: ['name', 'bot_token', 'chat_id'],
      webhook: ['name'],
    }[kind]!;
    const body = {
      ...Object.fromEntries(members.map((member) => [member, BODY_VALUES[member]])),
      ...(kind === 'webhook' && { url: observer.url }),
    };
    for (const length of [min, max]) await make(api, { path, body: { ...body, [name]: 'n'.repeat(length) } });
    for (const length of [min - 1, max + 1])
      await expectRefused(api, { path, body: { ...body, [name]: 'n'.repeat(length) }, field: name });
  });
}

/** Every GET of the tables that answers with the envelope. */
async function findLists({ specification, api, values }: Ground): Promise<string[]> {
  const rows = specification.tables
    .flatMap(({ rows: all }) => all)
    .filter(({ cells }) => cells['Method'] === 'GET');
  const paths = rows.map(({ cells }) => fill(codesOf(cells['Path']!)[0]!, values));
  const answers = await Promise.all(
    paths.map(async (path) => ({ path, body: (await api('GET', path)).body as Sample | undefined })),
  );
  return answers
    .filter(({ body }) => body !== undefined && 'items' in body && 'meta' in body)
    .map(({ path }) => path);
}
