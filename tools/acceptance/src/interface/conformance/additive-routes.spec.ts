// SPDX-License-Identifier: Apache-2.0
import { describeApi } from '../../../../sdk/src/describe-api.ts';
import { ADDITIVE_ROUTES } from './additive-routes.ts';
import { codesOf } from './read-tables.ts';
import { readSpecification } from './specification.ts';

/** Neither in the specification nor in §12 and §14 of decisions.md: the specs beside their routes prove what they do. */
const OF_OTHER_SPECS: Readonly<Record<string, string>> = {
  '/session': 'GET POST DELETE',
  '/search': 'GET',
  '/stats': 'GET',
  '/stats/series': 'GET',
  '/networks': 'GET',
  '/networks/{chain_gid}': 'GET PUT DELETE',
  '/blockchains/{chain_gid}/nodes': 'GET',
  '/blockchains/{chain_gid}/endpoints': 'GET POST',
  '/blockchains/{chain_gid}/endpoints/{endpoint_id}': 'GET PATCH DELETE',
  '/incidents': 'GET',
  '/blockchains/{chain_gid}/incidents': 'GET',
  '/blockchains/{chain_gid}/incidents/{incident_id}/actions/accept': 'POST',
  '/blockchains/{chain_gid}/actions/reprocess': 'POST',
  '/blockchains/{chain_gid}/actions/reset': 'POST',
  '/blockchains/{chain_gid}/actions/skip': 'POST',
  '/tokens/{chain_gid}/{asset_path}/actions/refresh': 'POST',
  '/addresses/{address}/balances/details': 'GET',
  '/addresses/{address}/adjustments': 'GET',
  '/addresses/{address}/utxos': 'GET',
  '/transactions/{chain_gid}/{hash}/proof': 'GET',
  '/statements': 'GET POST',
  '/statements/{statement_id}': 'GET DELETE',
  '/statements/{statement_id}/download': 'GET',
  '/reconciliations': 'GET POST',
  '/reconciliations/{reconciliation_id}': 'GET DELETE',
  '/reconciliations/{reconciliation_id}/rows': 'GET',
  '/events/{event_id}': 'GET',
  '/events/{event_id}/deliveries': 'GET',
  '/notification_channels/preview': 'POST',
  '/notification_channels/{notification_channel_id}/actions/test': 'POST',
  '/notification_channels/{notification_channel_id}/actions/rehearse': 'POST',
  '/notification_channels/{notification_channel_id}/deliveries/{delivery_id}': 'GET',
  '/notification_channels/{notification_channel_id}/deliveries/{delivery_id}/actions/redeliver': 'POST',
  '/notification_channels/{notification_channel_id}/deliveries/actions/recover': 'POST',
  '/management/workspace': 'GET PATCH',
  '/management/projects': 'GET POST',
  '/management/projects/{project_id}': 'GET PATCH DELETE',
  '/management/members': 'GET POST',
  '/management/members/{member_id}': 'PATCH DELETE',
  '/management/keys': 'GET POST',
  '/management/keys/{key_id}': 'GET DELETE',
  '/management/keys/{key_id}/actions/roll': 'POST',
  '/management/audit_logs': 'GET',
  '/management/usage': 'GET',
};

/**
 * `/channels` is a second name of `/notification_channels`, and a webhook what is made there; the names of parameters do
 * not matter.
 */
const nameOf = (method: string, path: string): string =>
  `${method} ${path
    .replace(/\{\w+\}/g, '{}')
    .replace(/^\/channels$/, '/notification_channels/webhook')
    .replace(/^\/channels\b/, '/notification_channels')}`;

it('every operation is in the specification, in the list of what is added to it, or known to be looked at elsewhere', () => {
  const specified = readSpecification()
    .tables.filter(({ columns }) => columns.includes('Method'))
    .flatMap(({ rows }) => rows.map(({ cells }) => nameOf(cells['Method']!, codesOf(cells['Path']!)[0]!)));
  const added = ADDITIVE_ROUTES.map(({ method, path }) => nameOf(method, path));
  const others = Object.entries(OF_OTHER_SPECS).flatMap(([path, methods]) =>
    methods.split(' ').map((method) => nameOf(method, path)),
  );
  const served = Object.entries(describeApi().paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => nameOf(method.toUpperCase(), path)),
  );
  expect(specified.length).toBeGreaterThan(40);
  expect([...new Set([...specified, ...added, ...others])].sort()).toEqual([...new Set(served)].sort());
  expect(others.filter((name) => specified.includes(name) || added.includes(name))).toEqual([]);
});
