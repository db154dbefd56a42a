// SPDX-License-Identifier: Apache-2.0
import { check, interpret, type Check } from './check.ts';
import { demand } from './demand.ts';
import { CHAINS, make, type Ground } from './ground.ts';
import { codesOf, type Row } from './read-tables.ts';
import { listAll, type Sample } from './samples.ts';
import { patternOf } from './specification.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** On either side of every limit that a pattern of namespace and reference can have. */
const NAMESPACES = ['ab', 'abc', 'abcdefgh', 'abcdefghi', 'Abc', 'a1c', 'a-c', 'a_c'];
const REFERENCES = [
  '',
  '1',
  'aZ9',
  '-_',
  'a.b',
  'a~b',
  ...[31, 32, 33, 64, 127, 128, 129].map((length) => 'x'.repeat(length)),
];
const CANDIDATES = [
  ...NAMESPACES.map((namespace) => `${namespace}:1`),
  ...REFERENCES.map((reference) => `abc:${reference}`),
];

type Phrase = readonly [RegExp, (match: RegExpExecArray) => Check | readonly Check[]];

const PHRASES: readonly Phrase[] = [
  [
    /`<namespace>:<reference>`/,
    () =>
      check('is a namespace and a reference', async (ground) => {
        for (const { gid } of await listAll(ground, '/blockchains'))
          demand(String(gid).split(':').length === 2, '<namespace>:<reference>', gid);
      }),
  ],
  [
    /(namespace|reference) `\[(.+)\]\{(\d+),(\d+)\}`/,
    ([, part, characters, min, max]) =>
      check(`the ${part} in a body has ${min} to ${max} of ${characters}`, async (ground) => {
        const one = new RegExp(`^[${characters}]{${min},${max}}$`);
        // The pattern of paths, which knows no hyphen in a namespace, holds everywhere (decisions.md 1.3).
        const candidates =
          part === 'namespace' ? NAMESPACES.filter((text) => !text.includes('-')) : REFERENCES;
        for (const text of candidates)
          await expectForm(ground, {
            method: 'POST',
            path: '/blockchains',
            isRight: one.test(text),
            body: {
              chain_gid: part === 'namespace' ? `${text}:1` : `abc:${text}`,
            },
          });
      }),
  ],
  [
    /case-sensitive/,
    () =>
      check('another case is another chain', async ({ api }) => {
        const other = CHAINS.solana.replace(
          /:(.*)$/,
          (_, reference: string) => `:${reference.toLowerCase()}`,
        );
        const [same, different] = [
          await api('GET', `/blockchains/${CHAINS.solana}`),
          await api('GET', `/blockchains/${other}`),
        ];
        demand(same.status === 200 && different.status === 404, `200 and 404 for ${other}`, [
          same.status,
          different,
        ]);
      }),
  ],
  [
    /In path parameters the pattern is `(.+)`/,
    ([, pattern]) =>
      check(`paths take what matches ${pattern}`, (ground) =>
        provePath(ground, new RegExp(pattern!), (text) => `/blockchains/${text}`),
      ),
  ],
  [
    /pattern `(.+)`/,
    ([, pattern]) =>
      check(`paths take what matches ${pattern}`, (ground) =>
        provePath(ground, new RegExp(pattern!), (text) => `/tokens/${ground.values['chain_gid']}/${text}`),
      ),
  ],
  [
    /`<asset_namespace>:<asset_reference>`/,
    () =>
      check('is the second half of the gid of an asset', async (ground) => {
        for (const { gid } of await listAll(ground, '/assets')) {
          const [chain, path] = String(gid).split('/');
          const { body } = await ground.api('GET', `/tokens/${chain}/${path}`);
          demand((body as Sample)['gid'] === gid, `the token ${String(gid)}`, body);
        }
      }),
  ],
  [
    /`<chain_gid>\/<asset_namespace>:<asset_reference>`/,
    () =>
      check('is a chain and an asset path', async (ground) => {
        const [chain, path] = [
          patternOf(ground.specification, 'chain_gid'),
          patternOf(ground.specification, 'asset_path'),
        ];
        for (const { gid } of await listAll(ground, '/assets')) {
          const parts = String(gid).split('/');
          demand(
            parts.length === 2 && chain.test(parts[0]!) && path.test(parts[1]!),
            `${chain.source} / ${path.source}`,
            gid,
          );
        }
      }),
  ],
  [
    /string, format uuid/,
    () =>
      check('ids are UUIDs, and nothing else is taken for one', async (ground) => {
        for (const { id } of [
          ...(await listAll(ground, '/notification_channels')),
          ...(await listAll(ground, '/public_keys')),
        ])
          demand(UUID.test(String(id)), 'a UUID', id);
        for (const path of ['/notification_channels', '/public_keys'])
          await expectForm(ground, { method: 'GET', path: `${path}/${'z'.repeat(36)}`, isRight: false });
      }),
  ],
  [
    /string, format date-time/,
    () =>
      check('timestamps are of RFC 3339', async (ground) => {
        for (const item of [
          ...(await listAll(ground, '/assets')),
          ...(await listAll(ground, '/notification_channels')),
          ...(await listAll(ground, '/addresses')),
        ]) {
          for (const name of ['created_at', 'updated_at'])
            demand(
              /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(String(item[name])) &&
                !Number.isNaN(Date.parse(String(item[name]))),
              `a date-time in ${name}`,
              item,
            );
        }
      }),
  ],
  [
    /decimal strings/,
    () =>
      check('balances are decimal strings', async ({ api, values }) => {
        const balances = Object.entries(
          (await make(api, {
            path: `/addresses/${values['address']}/balances`,
            method: 'GET',
          })) as Sample,
        );
        demand(
          balances.length > 0 &&
            balances.every(
              ([, amount]) => typeof amount === 'string' && /^(0|[1-9]\d*)(\.\d+)?$/.test(amount),
            ),
          'decimal strings',
          balances,
        );
      }),
  ],
];

/** A row of the table of identifier formats. */
export function identifierChecks(row: Row): Check[] {
  // Between the parts stands one semicolon or period, none of them inside of a pattern.
  const phrases = row.cells['Format']!.split(/(?<=`|e|\w);\s+|\.\s+(?=[A-Z])|\.$/).filter(
    (phrase) => phrase !== '',
  );
  return phrases.flatMap((phrase) => interpret(phrase, PHRASES));
}

async function provePath(ground: Ground, pattern: RegExp, toPath: (text: string) => string): Promise<void> {
  demand(
    CANDIDATES.some((text) => pattern.test(text)) && CANDIDATES.some((text) => !pattern.test(text)),
    'a pattern that tells some of the candidates from others',
    pattern.source,
  );
  for (const text of [...CANDIDATES, ...codesOf('`abc:a%25b` `abc:a.b-c`')])
    await expectForm(ground, {
      method: 'GET',
      path: toPath(text),
      isRight: pattern.test(decodeURIComponent(text)),
    });
}

/** What has the right form may be refused for other reasons, as an asset that its chain cannot have, but not as malformed. */
async function expectForm(
  { api, values }: Ground,
  {
    method,
    path,
    isRight,
    body,
  }: { readonly method: string; readonly path: string; readonly isRight: boolean; readonly body?: object },
): Promise<void> {
  const { status, body: answer } = await api(method, path, body);
  const reasons = ((answer as { fields?: { reason: string }[] } | undefined)?.fields ?? []).map(
    ({ reason }) => reason,
  );
  const isMalformed = status === 400 && !reasons.some((reason) => reason.includes(values['chain_gid']!));
  demand(isMalformed === !isRight, isRight ? 'no complaint about the form' : '400 for the form', {
    status,
    answer,
    path,
    body,
  });
}
