// SPDX-License-Identifier: Apache-2.0
import { check, interpret, type Check } from './check.ts';
import { demand } from './demand.ts';
import { make, type Ground } from './ground.ts';
import { codesOf, type Row, type Table } from './read-tables.ts';
import { findSamples, type Sample } from './samples.ts';
import { patternOf } from './specification.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  'string or null': (value) => typeof value === 'string' || value === null,
  'string (uuid)': (value) => UUID.test(String(value)),
  'string (uri)': (value) => URL.canParse(String(value)),
  'string (URI reference)': (value) => typeof value === 'string' && URL.canParse(value, 'http://base'),
  integer: (value) => Number.isInteger(value),
  'integer (int64)': (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'array of `{name: string, reason: string}`': (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((entry: Sample) => typeof entry['name'] === 'string' && typeof entry['reason'] === 'string'),
};

/** What a phrase about a field is about. */
interface Subject {
  readonly table: Table;
  readonly field: string;
}

/** `url` of a channel's configuration is written with the channel: bodies that create one, by the lead of its table. */
const CREATION: Readonly<
  Record<string, { readonly path: string; readonly body: Readonly<Record<string, unknown>> }>
> = {
  'Config for kind `nats`:': {
    path: '/notification_channels/nats',
    body: { name: 'n', url: 'nats://user:password@127.0.0.1:9', subject: 'a.b' },
  },
  'Config for kind `telegram`:': {
    path: '/notification_channels/telegram',
    body: { name: 't', bot_token: '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx', chat_id: 42 },
  },
};
const creationOf = ({ table }: Subject) => CREATION[table.lead] ?? CREATION['Config for kind `nats`:']!;

type Phrase = readonly [RegExp, (match: RegExpExecArray, subject: Subject) => Check | readonly Check[]];

const PHRASES: readonly Phrase[] = [
  [
    /CAIP-2(?: identifier)?/,
    (_, subject) =>
      inSamples('is a CAIP-2 identifier', subject, (value, ground) =>
        patternOf(ground.specification, 'chain_gid').test(String(value)),
      ),
  ],
  [
    /CAIP-19 identifier/,
    (_, subject) =>
      inSamples('is <chain_gid>/<asset>', subject, (value, { specification }) => {
        const [chain, asset, more] = String(value).split('/');
        return (
          more === undefined &&
          patternOf(specification, 'chain_gid').test(chain!) &&
          patternOf(specification, 'asset_path').test(asset ?? '')
        );
      }),
  ],
  [
    /enum (?:`\w+`(?:, )?)+/,
    ([text], subject) =>
      inSamples(`is one of ${codesOf(text).join(', ')}`, subject, (value) =>
        codesOf(text).includes(String(value)),
      ),
  ],
  [
    /date-time/,
    (_, subject) => inSamples('is a date-time', subject, (value) => DATE_TIME.test(String(value))),
  ],
  [
    />= (\d+)/,
    ([, least], subject) =>
      inSamples(`is at least ${least}`, subject, (value) => Number(value) >= Number(least)),
  ],
  [
    /URL of the logo image/,
    (_, subject) => inSamples('is a URL', subject, (value) => URL.canParse(String(value))),
  ],
  [
    /unique identifier name of the chain/,
    (_, subject) => overSamples('is unique', subject, (values) => new Set(values).size === values.length),
  ],
  [/short name/, (_, subject) => inSamples('is not empty', subject, (value) => value !== '')],
  [
    /whether the chain is active for monitoring/,
    (_, subject) =>
      overSamples(
        'tells active chains from others',
        subject,
        (values) => values.includes(true) && values.includes(false),
      ),
  ],
  [/block number/, (_, subject) => inSamples('counts from 0', subject, (value) => Number(value) >= 0)],
  [
    /unique per chain/,
    (_, subject) =>
      overSamples(
        'no two blocks share it',
        subject,
        (values) =>
          new Set(values.filter((value) => value !== null)).size ===
          values.filter((value) => value !== null).length,
      ),
  ],
  [
    /null while the block is not yet fetched/,
    (_, subject) =>
      inSamples(
        'is there once the block was fetched',
        subject,
        (value, _ground, sample) => value !== null || sample['status'] === 'new',
      ),
  ],
  [
    /required/,
    (_, subject) => [
      inSamples('is there', subject, (value) => value !== undefined),
      ...(isConfig(subject) ? [requiredOnCreate(subject)] : []),
    ],
  ],
  [/yes/, (_, subject) => inSamples('is there', subject, (value) => value !== undefined)],
  [
    /no/,
    (_, subject) =>
      overSamples('is of its type where it is there', subject, (values) =>
        values.some((value) => value !== undefined),
      ),
  ],
  [
    /both members required/,
    (_, subject) =>
      inSamples(
        'has both members',
        subject,
        (value) =>
          value === undefined ||
          (value as Sample[]).every(({ name, reason }) => name !== undefined && reason !== undefined),
      ),
  ],
  [
    /present on validation errors/,
    (_, subject) =>
      inSamples(
        'is there on 400',
        subject,
        (value, _ground, sample) => (sample['status'] === 400) === (value !== undefined),
      ),
  ],
  [/required on create/, (_, subject) => requiredOnCreate(subject)],
  [/(\d+)\.\.(\d+) characters/, ([, min, max], subject) => lengthOnCreate(subject, Number(min), Number(max))],
  [/pattern `(.+)`/, ([, pattern], subject) => patternOnCreate(subject, new RegExp(pattern!))],
  [
    /user-defined/,
    (_, subject) =>
      check('is kept as it was given', async ({ api }) => {
        const { path, body } = creationOf(subject);
        const made = await make(api, { path, body: { ...body, [subject.field]: 'Zahlungen — 支払い ✓' } });
        demand(made[subject.field] === 'Zahlungen — 支払い ✓', 'the same text', made[subject.field]);
      }),
  ],
  [
    /one of the three configs below, chosen by `kind`/,
    (_, subject) =>
      inSamples('has the fields of its kind', subject, (value, { specification }, sample) => {
        const config = specification.tables.find(
          ({ lead }) => lead === `Config for kind \`${String(sample['kind'])}\`:`,
        );
        const required = config?.rows
          .filter(({ cells }) => !cells['Notes']!.includes('omitted in responses'))
          .map(({ cells }) => codesOf(cells['Field']!)[0]!) ?? ['url'];
        return required.every((name) => name in (value as object));
      }),
  ],
  [
    /true means archived \(disabled\) with configuration retained/,
    (_, subject) =>
      check('an archived channel keeps its configuration', async ({ api }) => {
        const { path, body } = creationOf(subject);
        const made = await make(api, { path, body });
        await make(api, { path: `/notification_channels/${made.id}/actions/archive` });
        const { body: archived } = (await api('GET', `/notification_channels/${made.id}`)) as {
          body: Sample;
        };
        demand(
          archived['is_archived'] === true &&
            JSON.stringify(archived['config']) === JSON.stringify(made['config']),
          `is_archived with ${JSON.stringify(made['config'])}`,
          archived,
        );
      }),
  ],
  [
    /message-bus server URL/,
    (_, subject) => inSamples('is a URL', subject, (value) => URL.canParse(String(value))),
  ],
  [
    /Credentials inside the URL may be masked in responses/,
    (_, subject) =>
      inSamples(
        'still is a URL of the same server',
        subject,
        (value) => new URL(String(value)).host === new URL(String(creationOf(subject).body['url'])).host,
      ),
  ],
  [
    /dot-separated hierarchical subject/,
    (_, subject) =>
      check('is kept as it was given', async ({ api }) => {
        const { path, body } = creationOf(subject);
        for (const text of ['a', 'payments.in.eip155', 'A-1._b']) {
          const made = await make(api, { path, body: { ...body, [subject.field]: text } });
          demand((made['config'] as Sample)[subject.field] === text, text, made);
        }
      }),
  ],
  [
    /sensitive/,
    (_, subject) =>
      inSamples('is not shown', subject, (value) => value !== creationOf(subject).body[subject.field]),
  ],
  [
    /may be masked or omitted in responses/,
    (_, subject) =>
      inSamples('is masked or omitted', subject, (value) => value === undefined || typeof value === 'string'),
  ],
  [
    /positive for private chats, negative for groups, negative starting with -100 for channels/,
    (_, subject) =>
      check('all three kinds of chat are taken', async ({ api }) => {
        const { path, body } = creationOf(subject);
        for (const id of [42, -42, -1001234567890]) {
          const made = await make(api, { path, body: { ...body, [subject.field]: id } });
          demand((made['config'] as Sample)[subject.field] === id, `${id}`, made);
        }
      }),
  ],
  [
    /items per page/,
    (_, subject) =>
      check('is what was asked for', async ({ api }) => {
        for (const limit of [1, 3])
          demand(
            metaOf((await api('GET', `/addresses?limit=${limit}`)).body)[subject.field] === limit,
            `${limit}`,
            subject.field,
          );
      }),
  ],
  [
    /current page/,
    (_, subject) =>
      check('is what was asked for', async ({ api }) => {
        for (const page of [1, 2])
          demand(
            metaOf((await api('GET', `/addresses?limit=1&page=${page}`)).body)[subject.field] === page,
            `${page}`,
            subject.field,
          );
      }),
  ],
  [
    /total items/,
    (_, subject) =>
      check('is how many items all pages have', async ({ api }) => {
        const [{ body: whole }, { body: first }] = await Promise.all([
          api('GET', '/addresses?limit=100'),
          api('GET', '/addresses?limit=1'),
        ]);
        const { items, meta } = whole as { items: unknown[]; meta: Sample };
        demand(
          meta[subject.field] === items.length && metaOf(first)[subject.field] === items.length,
          `${items.length}`,
          meta,
        );
        demand(
          metaOf(first)['total_pages'] === items.length && metaOf(whole)['total_pages'] === 1,
          'as many pages as that takes',
          [metaOf(first), meta],
        );
      }),
  ],
];

/** A row of a table of fields: the type on every record of its kind that the stack shows, and every phrase of the notes. */
export function fieldChecks(table: Table, row: Row): Check[] {
  const [fieldColumn, typeColumn, notesColumn] = table.columns as [string, string, string];
  const field = codesOf(row.cells[fieldColumn]!)[0]!;
  const subject: Subject = { table, field };
  const type = row.cells[typeColumn]!;
  const hasType = TYPES[type];
  if (hasType === undefined) interpret(type, []);
  const phrases = row.cells[notesColumn]!.split(/;\s+|\.\s+(?=[A-Z])|\.$/).filter((phrase) => phrase !== '');
  const notes = phrases.flatMap((phrase) => interpret(phrase, PHRASES, subject));
  return [inSamples(`is a ${type}`, subject, (value) => value === undefined || hasType!(value)), ...notes];
}

function isConfig({ table }: Subject): boolean {
  return table.lead in CREATION;
}

const metaOf = (body: unknown): Sample => (body as { meta: Sample }).meta;

function inSamples(
  says: string,
  { table, field }: Subject,
  isSo: (value: unknown, ground: Ground, sample: Sample) => boolean,
): Check {
  return check(`${field} ${says}`, async (ground) => {
    for (const sample of await findSamples(ground, table))
      demand(isSo(sample[field], ground, sample), `${field} that ${says}`, sample);
  });
}

function overSamples(says: string, { table, field }: Subject, isSo: (values: unknown[]) => boolean): Check {
  return check(`${field} ${says}`, async (ground) => {
    const values = (await findSamples(ground, table)).map((sample) => sample[field]);
    demand(isSo(values), `${field}: ${says}`, values);
  });
}

function requiredOnCreate(subject: Subject): Check {
  return check(`${subject.field} has to be given`, async ({ api }) => {
    const { path, body } = creationOf(subject);
    const { [subject.field]: _, ...rest } = body;
    await expectRefused(api, { path, body: rest, field: subject.field });
  });
}

function lengthOnCreate(subject: Subject, min: number, max: number): Check {
  return check(`${subject.field} has ${min} to ${max} characters`, async ({ api }) => {
    const { path, body } = creationOf(subject);
    for (const length of [min, max])
      await make(api, { path, body: { ...body, [subject.field]: 'a'.repeat(length) } });
    for (const length of [min - 1, max + 1])
      await expectRefused(api, {
        path,
        body: { ...body, [subject.field]: 'a'.repeat(length) },
        field: subject.field,
      });
  });
}

const TOKENS = [
  ...['1234567', '123456789012', '123456', '1234567890123', '12345678x'].map(
    (id) => `${id}:${'A'.repeat(35)}`,
  ),
  ...[`a_-${'9'.repeat(32)}`, 'A'.repeat(34), 'A'.repeat(36), `${'A'.repeat(34)}.`].map(
    (secret) => `12345678:${secret}`,
  ),
];

function patternOnCreate(subject: Subject, pattern: RegExp): Check {
  return check(`${subject.field} matches ${pattern.source}`, async ({ api }) => {
    const { path, body } = creationOf(subject);
    demand(
      TOKENS.some((token) => pattern.test(token)) && TOKENS.some((token) => !pattern.test(token)),
      'a pattern that tells some tokens from others',
      pattern.source,
    );
    for (const token of TOKENS) {
      if (pattern.test(token)) await make(api, { path, body: { ...body, [subject.field]: token } });
      else
        await expectRefused(api, { path, body: { ...body, [subject.field]: token }, field: subject.field });
    }
  });
}

/** 400, and `fields` names the one that is at fault. */
export async function expectRefused(
  api: Ground['api'],
  {
    path,
    body,
    field,
    method = 'POST',
  }: { readonly path: string; readonly body?: unknown; readonly field: string; readonly method?: string },
): Promise<void> {
  const reply = await api(method, path, body);
  const names = ((reply.body as { fields?: { name: string }[] } | undefined)?.fields ?? []).map(
    ({ name }) => name.split(/[.[]/)[0],
  );
  demand(reply.status === 400 && names.includes(field), `400 that names ${field}`, {
    asked: `${method} ${path}`,
    status: reply.status,
    body: reply.body,
    sent: body,
  });
}
