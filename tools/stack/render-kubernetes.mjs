import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {import('./services.mjs').Service} Service */

/** Nobody writes to disk, is root, or may become it. */
const POD_SECURITY = {
  runAsNonRoot: true,
  runAsUser: 10001,
  runAsGroup: 10001,
  seccompProfile: { type: 'RuntimeDefault' },
};
const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};
/** Labels of what is whose. @param {string} name @param {string} component */
const labelsOf = (name, component) => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/component': component,
  'app.kubernetes.io/part-of': 'chainwatch',
});
/** @param {string} name */
const selectorOf = (name) => ({ matchLabels: { 'app.kubernetes.io/name': name } });

/** Its Secret: each service has one of its own. @param {string} service */
export const secretOf = (service) => `chainwatch-${service}`;
/** @param {Service} service */
export function deployment({ name, component, replicas, cpu, memory, memoryMax, dials }) {
  const isGateway = component === 'gateway';
  const labels = labelsOf(name, component);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas,
      revisionHistoryLimit: 5,
      // A pod that is ready for a moment only takes no other one's place.
      minReadySeconds: 10,
      // Workers: the old one lets its chains go, the new one takes them.
      strategy: {
        rollingUpdate: isGateway ? { maxUnavailable: 0, maxSurge: 1 } : { maxUnavailable: 1, maxSurge: 0 },
      },
      selector: selectorOf(name),
      template: {
        metadata: {
          labels,
          annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '9464' },
        },
        spec: {
          ...podSpec('chainwatch'),
          // A gateway answers on for DRAIN_DELAY; a service finishes what is under way within 20 s.
          terminationGracePeriodSeconds: 45,
          topologySpreadConstraints: ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map(
            (topologyKey) => ({
              maxSkew: 1,
              topologyKey,
              whenUnsatisfiable: 'ScheduleAnyway',
              matchLabelKeys: ['pod-template-hash'],
              labelSelector: selectorOf(name),
            }),
          ),
          initContainers: [
            // A rollout waits for the migration (migrate.yaml) and takes no working pod away meanwhile.
            container('schema', ['migrate.mjs', '--check', '--wait', '10m'], {
              env: [secretVariable('DATABASE_URL', secretOf(name))],
              resources: MIGRATE_RESOURCES,
            }),
          ],
          containers: [
            container('service', [`${name}.mjs`], {
              ports: [
                ...(isGateway ? [{ name: 'http', containerPort: 8080 }] : []),
                { name: 'health', containerPort: 9464 },
              ],
              // The notifier dials customers' addresses: what nodes are allowed (OUTBOUND_ALLOW) is not for it.
              envFrom: [
                { configMapRef: { name: 'chainwatch' } },
                ...(dials === undefined ? [{ configMapRef: { name: 'chainwatch-nodes' } }] : []),
                { secretRef: { name: secretOf(name) } },
              ],
              resources: { requests: { cpu, memory }, limits: { memory: memoryMax } },
              // A loop that stands still is restarted; what is missing outside (a node, the database) is not mended by that.
              startupProbe: probe('/healthz', { periodSeconds: 2, failureThreshold: 60 }),
              livenessProbe: probe('/healthz', { periodSeconds: 10, failureThreshold: 3 }),
              readinessProbe: probe('/readyz', { periodSeconds: 5 }),
            }),
          ],
        },
      },
    },
  };
}

/** @param {string} serviceAccountName */
const podSpec = (serviceAccountName) => ({
  serviceAccountName,
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  securityContext: POD_SECURITY,
});

const MIGRATE_RESOURCES = { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '256Mi' } };

/** @param {string} name @param {string[]} args @param {object} more */
const container = (name, args, more) => ({
  name,
  image: 'chainwatch',
  args,
  ...more,
  securityContext: CONTAINER_SECURITY,
});

/** @param {string} path @param {object} times */
const probe = (path, times) => ({ httpGet: { path, port: 'health' }, timeoutSeconds: 6, ...times });

/** @param {string} name @param {string} secret */
const secretVariable = (name, secret) => ({
  name,
  valueFrom: { secretKeyRef: { name: secret, key: name } },
});

/**
 * A Job's pod template cannot be changed, so the name has a hash of what it applies: another migration is another Job.
 * It has no settings, whose hashed names would change it.
 * @param {string} repoDir
 */
export function migrateJob(repoDir) {
  return job(`chainwatch-migrate-${hashMigrations(repoDir)}`, 'migrate', {
    ...podSpec('chainwatch'),
    restartPolicy: 'OnFailure',
    containers: [
      container('service', ['migrate.mjs'], {
        env: [secretVariable('DATABASE_URL', secretOf('migrate'))],
        resources: MIGRATE_RESOURCES,
      }),
    ],
  });
}

/** Makes the first keys and keeps them as a Secret: no log has them. */
export function bootstrapJob() {
  return job('chainwatch-bootstrap', 'bootstrap', {
    ...podSpec('chainwatch-bootstrap'),
    automountServiceAccountToken: true,
    restartPolicy: 'OnFailure',
    initContainers: [
      container('schema', ['migrate.mjs', '--check', '--wait', '10m'], {
        env: [secretVariable('DATABASE_URL', secretOf('migrate'))],
        resources: MIGRATE_RESOURCES,
      }),
    ],
    containers: [
      container('service', ['bootstrap.mjs', '--kubernetes-secret', 'chainwatch-keys'], {
        env: [
          secretVariable('DATABASE_URL', secretOf('migrate')),
          // The cluster's API is certified by an authority of its own.
          {
            name: 'NODE_EXTRA_CA_CERTS',
            value: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
          },
        ],
        resources: MIGRATE_RESOURCES,
      }),
    ],
  });
}

/** @param {string} name @param {string} component @param {object} spec */
const job = (name, component, spec) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, labels: labelsOf(component, component) },
  spec: {
    backoffLimit: 10,
    template: { metadata: { labels: labelsOf(component, component) }, spec },
  },
});

/** @param {string} repoDir */
function hashMigrations(repoDir) {
  const hash = createHash('sha256');
  for (const folder of ['prisma/migrations', 'prisma/sql'])
    for (const path of readdirSync(join(repoDir, folder), { recursive: true, encoding: 'utf8' }).sort())
      if (path.endsWith('.sql')) hash.update(`${path}\0`).update(readFileSync(join(repoDir, folder, path)));
  return hash.digest('hex').slice(0, 10);
}

/** @param {Service} service */
export function clusterService({ name, component }) {
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, labels: labelsOf(name, component) },
      spec: {
        selector: selectorOf(name).matchLabels,
        ports: [{ name: 'http', port: 80, targetPort: 'http' }],
      },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: `chainwatch-${name}`, labels: labelsOf(name, component) },
      spec: {
        podSelector: selectorOf(name),
        policyTypes: ['Ingress'],
        ingress: [{ ports: [{ port: 'http' }] }],
      },
    },
  ];
}

/** @param {Service} service */
export function disruptionBudget({ name, component }) {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, labels: labelsOf(name, component) },
    spec: { maxUnavailable: 1, selector: selectorOf(name) },
  };
}

/** In production a scaler says how many there are, or it is two. @param {Service} service */
export function productionReplicas({ name, isScaled }) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas: isScaled ? null : 2 },
  };
}

/** Whatever the vault keeps of the service is a variable of it. @param {string} name */
export function externalSecret(name) {
  return {
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata: { name: secretOf(name) },
    spec: {
      refreshInterval: '1h',
      secretStoreRef: { kind: 'SecretStore', name: 'chainwatch' },
      target: { name: secretOf(name) },
      dataFrom: [{ extract: { key: `chainwatch/${name}` } }],
    },
  };
}

/** @param {object} groups rules.yaml */
export function prometheusRule(groups) {
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'chainwatch', labels: { 'app.kubernetes.io/part-of': 'chainwatch' } },
    spec: groups,
  };
}
