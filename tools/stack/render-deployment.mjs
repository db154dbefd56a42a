import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repoDir } from '../../libs/host/src/repo.mjs';
import { readServices } from './services.mjs';

/** @typedef {import('./services.mjs').Service} Service */

const COMPOSE = 'deploy/compose.yaml';
const COMPOSE_REGION = /(?<=# services\.json:.*\n)[^]*?(?=\n {2}# end of services\.json)/;
const HEADER =
  '# Written from deploy/services.json by `node tools/stack/write-deployment.mjs`: change it there.\n';

/**
 * What deploy/services.json says, as compose and Kubernetes read it.
 *
 * @param {string} [dir] of the repository
 * @returns {Map<string, string>} contents by path from the repository's root
 */
export function renderDeployment(dir = repoDir) {
  const services = readServices(dir);
  const gateways = services.filter(({ component }) => component === 'gateway');
  const base = 'deploy/kubernetes/base';
  return new Map([
    [
      COMPOSE,
      readFileSync(join(dir, COMPOSE), 'utf8').replace(COMPOSE_REGION, () =>
        services.map(composeService).join('\n'),
      ),
    ],
    [`${base}/deployments.yaml`, `${HEADER}${DEPLOYMENTS_NOTE}${services.map(deployment).join('---\n')}`],
    [`${base}/services.yaml`, `${HEADER}${gateways.map(clusterService).join('---\n')}`],
    [
      `${base}/disruption-budgets.yaml`,
      `${HEADER}${services
        .filter(({ replicas }) => replicas > 1)
        .map(disruptionBudget)
        .join('---\n')}`,
    ],
  ]);
}

/** @param {Service} service */
function composeService({ name, localPort }) {
  return localPort === undefined
    ? `  ${name}: { <<: *service, command: [${name}.mjs] }`
    : `  ${name}: { <<: *service, command: [${name}.mjs], ports: ['127.0.0.1:${localPort}:8080'] }`;
}

const DEPLOYMENTS_NOTE = `# What differs from service to service; every-deployment.yaml and every-pod.yaml hold the rest. A chain belongs to one ingestor and
# one analyzer and one balance service at a time: they spread over the replicas, and move within 10 s when one dies.
`;

/** @param {Service} service */
function deployment({ name, component, replicas, isScaled, cpu, memory, memoryMax }) {
  const ports =
    component === 'gateway'
      ? '{ name: http, containerPort: 8080 }, { name: health, containerPort: 9464 }'
      : '{ name: health, containerPort: 9464 }';
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, labels: { app.kubernetes.io/component: ${component}, chainwatch/scaled: '${isScaled}' } }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app.kubernetes.io/name: ${name} } }
  template:
    metadata: { labels: { app.kubernetes.io/name: ${name} } }
    spec:
      containers:
        - name: service
          image: chainwatch
          args: [${name}.mjs]
          ports: [${ports}]
          resources: { requests: { cpu: ${cpu}, memory: ${memory} }, limits: { memory: ${memoryMax} } }
`;
}

/** @param {Service} service */
function clusterService({ name }) {
  return `apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app.kubernetes.io/name: ${name} }, ports: [{ name: http, port: 80, targetPort: http }] }
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: chainwatch-${name} }
spec:
  podSelector: { matchLabels: { app.kubernetes.io/name: ${name} } }
  policyTypes: [Ingress]
  ingress: [{ ports: [{ port: http }] }]
`;
}

/** @param {Service} service */
function disruptionBudget({ name }) {
  return `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: ${name} }
spec: { maxUnavailable: 1, selector: { matchLabels: { app.kubernetes.io/name: ${name} } } }
`;
}
