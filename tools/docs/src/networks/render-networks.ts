// SPDX-License-Identifier: Apache-2.0
import type { FamilyManifest, Network, Upgrade } from '@chainwatch/chain-core';
import { PROOFS, WAITING, type Proof } from './proofs.ts';
import { ofNetwork, VALUES, type Value } from './values.ts';

const HEAD = `# Networks

<!-- Made from libs/chain-*/src/networks.json and upgrades.json: UPDATE_DOCS=1 npx jest tools/docs/src/networks -->

What stands behind each kind of value, and which upgrades this release supports. \`verification\` is explained in [The unknown never stops a chain](rules/unknown.md#verification).

States of an upgrade:

- \`ready\`: the release is tested with a recorded block after the upgrade.
- \`generated\`: the release is tested with blocks generated in the published format. If an upgrade does not change blocks, that is the format in force.
- \`not\`: the release does not support the upgrade. The reason is given.

Dates are as reliable as their sources: *verified* by two sources or a client's configuration, *one source*, or *unverified*.
`;

/** The text of docs/networks.md. */
export function renderNetworks(families: readonly FamilyManifest[]): string {
  return [HEAD, ...families.map(renderFamily), renderWaiting()].join('\n');
}

function renderWaiting(): string {
  const rows = WAITING.map(({ network, why }) => `| ${network} | ${why} |\n`).join('');
  return `## Networks that wait\n\n| Network | Why |\n|---|---|\n${rows}`;
}

function renderFamily({ name, displayName, catalogue, calendar }: FamilyManifest): string {
  const shown = catalogue.builtIn.filter(({ isLocal }) => isLocal !== true);
  return [
    `## ${displayName}`,
    '',
    `| Value | \`verification\` | By |\n|---|---|---|\n${(VALUES[name] ?? []).map(renderValue).join('')}`,
    `Calendar reviewed on ${calendar.reviewed}.`,
    '',
    ...shown.map((network) =>
      renderNetwork(
        network,
        calendar.upgrades.filter((row) => row.network === network.name),
      ),
    ),
  ].join('\n');
}

const renderValue = ({ what, verification, by }: Value): string => `| ${what} | ${verification} | ${by} |\n`;

function renderNetwork(network: Network, upgrades: readonly Upgrade[]): string {
  const lines = [
    `### ${network.displayName}`,
    '',
    `\`${network.gid}\`, \`${network.name}\`. ${ofNetwork(network).join(' ')}`,
    '',
    ...renderProofs(network),
  ];
  if (upgrades.length === 0) return [...lines, 'No upgrade in the calendar.', ''].join('\n');
  const rows = upgrades.map(renderUpgrade).join('');
  return [
    ...lines,
    `| Upgrade | Effective | Changes | State | Sources |\n|---|---|---|---|---|\n${rows}`,
  ].join('\n');
}

function renderProofs({ name }: Network): string[] {
  const of = PROOFS[name];
  if (of === undefined) return [];
  const rows = of.proofs.map(renderProof).join('');
  return [
    `| Part | Proved by | Tested with |\n|---|---|---|\n${rows}`,
    `Not proved, or not yet: ${of.open}`,
    '',
  ];
}

const renderProof = ({ what, by, tested }: Proof): string => `| ${what} | ${by} | ${tested} |\n`;

function renderUpgrade(row: Upgrade): string {
  const { name, date, height, certainty, changes, note, sources } = row;
  const at = [
    date === null ? undefined : date.replace('T', ' ').replace('Z', ''),
    height === null ? undefined : `height ${height}`,
  ];
  const effective = `${at.filter(Boolean).join(', ') || 'open'} (${certainty.replace('-', ' ')})`;
  const state = row.state === 'not' ? `\`not\`: ${row.reason}` : `\`${row.state}\``;
  const links = sources.map((url, index) => `[${index + 1}](${url})`).join(' ');
  return `| ${name} | ${effective} | ${[changes, note].filter(Boolean).join(' ')} | ${state} | ${links} |\n`;
}
