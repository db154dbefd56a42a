// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { repoDir } from '../../libs/testing/src/host/repo.mjs';
import { renderObjectives } from './objectives.mjs';
import { BOARDS } from './boards.mjs';
import { renderDashboard } from './render-dashboards.mjs';
import {
  bootstrapJob,
  clusterService,
  deployment,
  disruptionBudget,
  externalSecret,
  migrateJob,
  podMonitor,
  productionReplicas,
  prometheusRule,
  secretOf,
} from './render-kubernetes.mjs';
import { readServices } from './services.mjs';
import { applySettings, readSettings } from './settings.mjs';

/** @typedef {import('./services.mjs').Service} Service */

const RULES = 'deploy/prometheus/rules.yaml';
const RULE_TESTS = ['deploy/prometheus/installations.test.yaml'];
const KUBERNETES = 'deploy/kubernetes';
const SCALING = `${KUBERNETES}/addons/keda/scaling.yaml`;
const HEADER = '# Written by `node tools/stack/write-deployment.mjs`';

/**
 * What follows from deploy/services.json, deploy/prometheus/rules.yaml, the boards and the migrations, as compose, Prometheus, Grafana
 * and Kubernetes read it.
 *
 * @param {string} [dir] of the repository
 * @returns {Map<string, string>} contents by path from the repository's root
 */
export function renderDeployment(dir = repoDir) {
  const services = readServices(dir);
  const gateways = services.filter(({ component }) => component === 'gateway');
  const fromServices = `${HEADER} from deploy/services.json: change it there.\n`;
  const fillRegion = (/** @type {string} */ path, /** @type {string} */ text) =>
    fill(readFileSync(join(dir, path), 'utf8'), 'services.json', text);
  const settings = readSettings(dir);
  const label = settings.installationLabel;
  const rules = applySettings(
    fill(
      fillRegion(RULES, services.map((service) => absenceRule(service, settings)).join('\n')),
      'objectives.mjs',
      renderObjectives(label),
    ),
    settings,
  );
  /** @type {[string, string][]} */
  const files = [
    [RULES, rules],
    ['deploy/compose.yaml', fillRegion('deploy/compose.yaml', services.map(composeService).join('\n'))],
    [
      'deploy/prometheus/prometheus.yaml',
      fillRegion(
        'deploy/prometheus/prometheus.yaml',
        services.map(({ name }) => `          - ${name}`).join('\n'),
      ).replace(
        /(?<=target_label: )\w+, replacement: [\w-]+/,
        `${label}, replacement: ${settings.installation}`,
      ),
    ],
    [SCALING, scaleOwn(readFileSync(join(dir, SCALING), 'utf8'), settings)],
    [`${KUBERNETES}/addons/monitoring/pod-monitor.yaml`, `${HEADER}.\n` + print([podMonitor(settings)])],
    [
      `${KUBERNETES}/overlays/trial/kustomization.yaml`,
      fillRegion(
        `${KUBERNETES}/overlays/trial/kustomization.yaml`,
        services.map(({ name }) => `  - { name: ${secretOf(name)}, env: secrets.env }`).join('\n'),
      ),
    ],
    [
      `${KUBERNETES}/base/deployments.yaml`,
      fromServices + print(services.map((service) => deployment(service, settings.image))),
    ],
    [`${KUBERNETES}/base/services.yaml`, fromServices + print(gateways.flatMap(clusterService))],
    [`${KUBERNETES}/base/disruption-budgets.yaml`, fromServices + print(services.map(disruptionBudget))],
    [
      `${KUBERNETES}/base/migrate.yaml`,
      `${HEADER}, again for each image and after each new migration.\n` +
        print([migrateJob(dir, settings.image)]),
    ],
    [`${KUBERNETES}/addons/bootstrap/job.yaml`, `${HEADER}.\n` + print([bootstrapJob(settings.image)])],
    [
      `${KUBERNETES}/addons/external-secrets/external-secrets.yaml`,
      fromServices + print([...services.map(({ name }) => name), 'migrate'].map(externalSecret)),
    ],
    [
      `${KUBERNETES}/addons/monitoring/prometheus-rule.yaml`,
      `${HEADER} from ${RULES}: change it there.\n` + print([prometheusRule(parse(rules))]),
    ],
    [
      `${KUBERNETES}/overlays/production/replicas.yaml`,
      fromServices + print(services.map(productionReplicas)),
    ],
  ];
  for (const path of RULE_TESTS)
    files.push([path, applySettings(readFileSync(join(dir, path), 'utf8'), settings)]);
  for (const board of BOARDS)
    files.push([
      `deploy/grafana/dashboards/${board.name}.json`,
      `${JSON.stringify(renderDashboard(board, label), null, 2)}\n`,
    ]);
  return new Map(files);
}

/** What stands between the two comments that name a source. @param {string} file @param {string} source @param {string} text */
function fill(file, source, text) {
  const region = new RegExp(`(?<=# ${source}:.*\\n)[^]*?(?= *# end of ${source})`);
  return file.replace(region, () => `${text}\n`);
}

/** @param {readonly object[]} objects */
const print = (objects) => objects.map((object) => stringify(object, { lineWidth: 0 })).join('---\n');

/** @param {Service} service */
function composeService({ name, localPort, memoryMax, mails, signsIn, signs, readsStandby }) {
  const ports = localPort === undefined ? '' : `, ports: ['127.0.0.1:${localPort}:8080']`;
  const limit = memoryMax.replace('Mi', 'm').replace('Gi', 'g');
  const groups = [
    'environment',
    ...(mails ? ['mail'] : []),
    ...(signsIn ? ['sign-in'] : []),
    ...(signs ? ['statements'] : []),
    ...(readsStandby ? ['reads'] : []),
  ];
  const own = groups.map((group) => `*${group}`).join(', ');
  const environment = groups.length > 1 ? `, environment: { <<: [${own}] }` : '';
  return `  ${name}: { <<: *service, command: [${name}.mjs], mem_limit: ${limit}${ports}${environment} }`;
}

/** KEDA's queries of this installation alone. @param {string} text @param {import('./settings.mjs').Settings} settings */
const scaleOwn = (text, { installation, installationLabel }) =>
  text.replace(/(?<=chainwatch_\w+\{)\w+="[^"]*"/g, `${installationLabel}="${installation}"`);

/**
 * An ingestor is missed while a chain of its family is active, another service while any other one of its installation
 * answers, or did within a day.
 *
 * @param {Service} service @param {import('./settings.mjs').Settings} settings
 */
function absenceRule({ name }, { installationLabel: label, runbookUrl }) {
  const [, family] = /^block-ingestor-(.+)$/.exec(name) ?? [];
  const builds = `chainwatch_build_info{service="${name}"}`;
  const running = `group by (${label}) (${builds})`;
  const expr =
    family === undefined
      ? `group by (${label}) (last_over_time(chainwatch_build_info[1d])) unless on (${label}) ${running} or on () absent(${builds})`
      : `max by (${label}) (chainwatch_active_chains{family="${family}"}) > 0 unless on (${label}) ${running}`;
  return `      - alert: ServiceIsAbsent
        expr: ${expr}
        for: 90s
        labels: { severity: page, service: ${name} }
        annotations: { summary: '{{ $labels.${label} }}: no replica of ${name} answers Prometheus', runbook_url: ${runbookUrl}/ServiceIsAbsent.html }`;
}
