// SPDX-License-Identifier: Apache-2.0
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
/** @param {Service} service @param {string} image */
export function deployment({ name, component, replicas, cpu, memory, memoryMax, dials }, image) {
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
      // The old pod works until the new one is ready, which waits for the migration first. Leases decide who has a chain meanwhile.
      strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
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
            container('schema', image, ['migrate.mjs', '--check', '--wait', '10m'], {
              env: [secretVariable('DATABASE_URL', secretOf(name))],
              resources: MIGRATE_RESOURCES,
            }),
          ],
          containers: [
            container('service', image, [`${name}.mjs`], {
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

/** A day to read its log. */
const JOB_KEPT_SECONDS = 86_400;
const MIGRATE_RESOURCES = { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '256Mi' } };

/**
 * An image that was loaded onto the nodes is not pulled, whatever its tag.
 *
 * @param {string} name @param {string} image @param {string[]} args @param {object} more
 */
const container = (name, image, args, more) => ({
  name,
  image,
  imagePullPolicy: 'IfNotPresent',
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
 * Applies the migrations of a release. It has no settings, whose hashed names would change it.
 *
 * @param {string} repoDir @param {string} image
 */
export function migrateJob(repoDir, image) {
  return job('migrate', hashMigrations(repoDir), {
    ...podSpec('chainwatch'),
    restartPolicy: 'OnFailure',
    containers: [
      container('service', image, ['migrate.mjs'], {
        env: [secretVariable('DATABASE_URL', secretOf('migrate'))],
        resources: MIGRATE_RESOURCES,
      }),
    ],
  });
}

/** Makes the first keys and keeps them as a Secret: no log has them. */
export function bootstrapJob(/** @type {string} */ image) {
  return job('bootstrap', '', {
    ...podSpec('chainwatch-bootstrap'),
    automountServiceAccountToken: true,
    restartPolicy: 'OnFailure',
    initContainers: [
      container('schema', image, ['migrate.mjs', '--check', '--wait', '10m'], {
        env: [secretVariable('DATABASE_URL', secretOf('migrate'))],
        resources: MIGRATE_RESOURCES,
      }),
    ],
    containers: [
      container('service', image, ['bootstrap.mjs', '--kubernetes-secret', 'chainwatch-keys'], {
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

/**
 * A Job's pod template cannot be changed, so the name has a hash of it, with the image, and of what the Job applies: another release
 * is another Job. What one did once it may do again.
 *
 * @param {string} component @param {string} applied hash @param {object} podSpec
 */
function job(component, applied, podSpec) {
  const labels = labelsOf(component, component);
  const template = { metadata: { labels }, spec: podSpec };
  const hash = createHash('sha256').update(applied).update(JSON.stringify(template)).digest('hex');
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `chainwatch-${component}-${hash.slice(0, 10)}`,
      labels,
      annotations: {
        // Argo CD makes a Job of this name anew with each sync, and does not miss one that was removed after its time.
        'argocd.argoproj.io/hook': 'Sync',
        'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
        // Flux makes it anew where the template changed under the same name, as by `images` of an overlay.
        'kustomize.toolkit.fluxcd.io/force': 'Enabled',
      },
    },
    spec: { backoffLimit: 10, ttlSecondsAfterFinished: JOB_KEPT_SECONDS, template },
  };
}

/** @param {string} repoDir */
function hashMigrations(repoDir) {
  const hash = createHash('sha256');
  for (const folder of ['prisma/migrations', 'prisma/sql'])
    for (const path of readdirSync(join(repoDir, folder), { recursive: true, encoding: 'utf8' }).sort())
      if (path.endsWith('.sql')) hash.update(`${path}\0`).update(readFileSync(join(repoDir, folder, path)));
  return hash.digest('hex');
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

/** In production a scaler says how many there are, by what each may use, or it is two. @param {Service} service */
export function productionReplicas({ name, isScaled, cpuLoaded }) {
  const containers = [{ name: 'service', resources: { requests: { cpu: cpuLoaded } } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: isScaled ? null : 2,
      ...(cpuLoaded !== undefined && { template: { spec: { containers } } }),
    },
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

/** The operator gives each series its namespace; another label has to be said. @param {import('./settings.mjs').Settings} settings */
export function podMonitor({ installation, installationLabel }) {
  const labels = { 'app.kubernetes.io/part-of': 'chainwatch' };
  const relabelings = [{ targetLabel: installationLabel, replacement: installation }];
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PodMonitor',
    metadata: { name: 'chainwatch', labels },
    spec: {
      // Jobs have no port `health`.
      selector: { matchLabels: labels },
      jobLabel: 'app.kubernetes.io/name',
      podMetricsEndpoints: [
        {
          port: 'health',
          path: '/metrics',
          interval: '15s',
          ...(installationLabel !== 'namespace' && { relabelings }),
        },
      ],
    },
  };
}
