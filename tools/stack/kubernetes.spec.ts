// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repoDir } from '@chainwatch/testing/host';
import { parse, parseAllDocuments } from 'yaml';
import { findDebianTool } from './find-debian-tool.ts';
import { BOARDS } from './boards.mjs';
import { renderDeployment } from './render-deployment.mjs';
import { serviceNames, services } from './services.mjs';
import { readSettings, SETTINGS } from './settings.mjs';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly [member: string]: unknown;
}
interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: readonly object[];
  readonly envFrom?: readonly { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  readonly resources: { requests: Record<string, string>; limits: Record<string, string> };
}
interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
  };
}

const kubectl = await findDebianTool('kubectl', 'kubernetes-client');
const folder = mkdtempSync(join(tmpdir(), 'kubernetes-'));
const root = join(folder, 'deploy');

const TRIAL = 'deploy/kubernetes/overlays/trial';

/** Objects by the folder of the kustomization that makes them. */
const rendered = new Map<string, readonly Manifest[]>();
const templateOf = ({ spec }: Manifest): PodTemplate => (spec as { template: PodTemplate }).template;
const ofKind = (path: string, kind: string): Manifest[] =>
  rendered.get(path)!.filter((object) => object.kind === kind);

function render(path: string, dir = root): readonly Manifest[] {
  const text = execFileSync(kubectl!, ['kustomize', join(dir, path)], {
    encoding: 'utf8',
    // Newer ones warn of names that older ones need.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

(kubectl === undefined ? describe.skip : describe)('deploy/kubernetes', () => {
  beforeAll(() => {
    cpSync(join(repoDir, 'deploy'), root, { recursive: true });
    writeFileSync(
      join(root, 'kubernetes/overlays/trial/secrets.env'),
      ['POSTGRES_PASSWORD', 'DATABASE_URL', 'NATS_URL', 'REDIS_URL', 'SECRETS_KEYS', 'SMTP_URL']
        .map((key) => `${key}=x\n`)
        .join(''),
    );
    const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('kustomization.yaml'))
      .map(dirname);
    for (const path of paths) rendered.set(path.replace('kubernetes/', ''), render(path));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has every object of every kustomization valid against its schema', async () => {
    expect([...rendered.keys()].sort()).toEqual([
      ...[
        'bootstrap',
        'egress',
        'external-secrets',
        'gateway-api',
        'ingress',
        'keda',
        'monitoring',
        'pgbouncer',
      ].map((name) => `addons/${name}`),
      'base',
      'grafana',
      'overlays/production',
      'overlays/trial',
    ]);
    const faults: unknown[] = [];
    for (const [path, objects] of rendered)
      for (const object of objects) {
        const fault = await findFault(object);
        if (fault !== undefined) faults.push([path, object.kind, object.metadata.name, fault]);
      }
    expect(faults).toEqual([]);
  });

  it('would find what is not valid', async () => {
    const objects = [...rendered.values()].flat();
    const kinds = new Map(objects.map((object) => [object.kind, object]));
    expect(kinds.size).toBeGreaterThan(18);
    // Whatever the kind: a name is a text, and what matters is an object.
    for (const object of kinds.values()) {
      expect([
        object.kind,
        await findFault({ ...object, metadata: { ...object.metadata, name: 7 as never } }),
      ]).toEqual([object.kind, expect.any(String)]);
      const [member] = ['spec', 'data', 'rules', 'roleRef'].filter((name) => object[name] !== undefined);
      if (member !== undefined)
        expect([object.kind, await findFault({ ...object, [member]: 'none' })]).toEqual([
          object.kind,
          expect.any(String),
        ]);
    }
    const faults = await Promise.all(
      MUTATIONS.map(([kind, change]) => {
        const object = structuredClone(kinds.get(kind)!) as never;
        change(object);
        return findFault(object);
      }),
    );
    expect(faults.filter((fault) => fault === undefined)).toEqual([]);
  });

  it('gives pods what is there, and nobody rights', () => {
    for (const path of ['base', 'overlays/production', 'overlays/trial']) {
      const names = new Set(rendered.get(path)!.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
      const pods = rendered.get(path)!.filter(({ kind }) => /^(Deployment|Job|StatefulSet)$/.test(kind));
      for (const pod of pods.filter(({ metadata }) => metadata.labels!['app.kubernetes.io/part-of'])) {
        const { spec } = templateOf(pod);
        expect(spec).toMatchObject({
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        });
        for (const { resources, ...container } of [...spec.containers, ...(spec.initContainers ?? [])]) {
          expect(container).toMatchObject({
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
          });
          expect(Object.keys(resources.requests)).toEqual(['cpu', 'memory']);
          expect(resources.limits.memory).toBeDefined();
        }
      }
      const text = JSON.stringify(pods);
      const asked = [
        ...[...text.matchAll(/"configMap(?:Ref)?":\{"name":"([^"]+)"/g)].map(
          ([, name]) => `ConfigMap ${name}`,
        ),
        ...(path === 'overlays/trial'
          ? [...text.matchAll(/"secret(?:Key)?Ref":\{(?:"key":"\w+",)?"name":"([^"]+)"/g)].map(
              ([, name]) => `Secret ${name}`,
            )
          : []),
      ];
      expect(asked.length).toBeGreaterThan(10);
      expect(asked.filter((name) => !names.has(name))).toEqual([]);
    }
  });

  it('has a Secret for each service, and private ranges of nodes for those alone that dial nodes', () => {
    const taken = Object.fromEntries(
      ofKind('base', 'Deployment').map((deployment) => [
        deployment.metadata.name,
        templateOf(deployment)
          .spec.containers[0]!.envFrom!.map(
            ({ configMapRef, secretRef }) => (configMapRef ?? secretRef)!.name,
          )
          .map((name) => name.replace(/-[a-z0-9]{10}$/, '#')),
      ]),
    );
    expect(taken).toEqual(
      Object.fromEntries(
        serviceNames.map((name) => [
          name,
          ['chainwatch#', ...(name === 'notifier' ? [] : ['chainwatch-nodes#']), `chainwatch-${name}`],
        ]),
      ),
    );
  });

  it('replaces pods when a setting changed', () => {
    const before = rendered.get('base')!;
    const file = join(root, 'kubernetes/base/kustomization.yaml');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('OUTBOUND_ALLOW=', 'OUTBOUND_ALLOW=10.0.0.0/8'));
    const after = render('kubernetes/base');
    writeFileSync(file, text);
    const changed = before
      .filter(({ kind }) => kind !== 'ConfigMap')
      .filter((object) => !after.some((other) => JSON.stringify(other) === JSON.stringify(object)))
      .map(({ metadata }) => metadata.name);
    expect(changed.sort()).toEqual(serviceNames.filter((name) => name !== 'notifier').sort());
  });

  it('rolls out releases with and without a migration: nothing immutable changes under its name', () => {
    const clone = join(folder, 'clone');
    for (const path of ['prisma/migrations', 'prisma/sql', 'deploy'])
      cpSync(join(repoDir, path), join(clone, path), { recursive: true });
    cpSync(join(root, 'kubernetes/overlays/trial/secrets.env'), join(clone, `${TRIAL}/secrets.env`));
    const overlays = [TRIAL, 'deploy/kubernetes/overlays/production'];
    /** Objects of each overlay. */
    const release = (image: string): (readonly Manifest[])[] => {
      writeFileSync(join(clone, SETTINGS), JSON.stringify({ ...readSettings(), image }));
      for (const [path, text] of renderDeployment(clone)) writeFileSync(join(clone, path), text);
      return overlays.map((path) => render(path, clone));
    };
    const releases = [release('example.com/chainwatch:1'), release('example.com/chainwatch:2')];
    mkdirSync(join(clone, 'prisma/migrations/29991231000000_later'));
    writeFileSync(join(clone, 'prisma/migrations/29991231000000_later/migration.sql'), 'SELECT 1;\n');
    releases.push(release('example.com/chainwatch:3'));
    // The same tag, pushed again with other functions.
    appendFileSync(join(clone, 'prisma/sql/queue_events.sql'), '\n-- Changed.\n');
    releases.push(release('example.com/chainwatch:3'));

    const clashes: string[] = [];
    const immutable = overlays.map((_overlay, at) => {
      const known = new Map<string, string>();
      for (const object of releases.flatMap((objects) => objects[at]!)) {
        const key = `${object.kind} ${object.metadata.name}`;
        const fields = JSON.stringify(pickImmutable(object));
        if ((known.get(key) ?? fields) !== fields) clashes.push(key);
        known.set(key, fields);
      }
      return known;
    });
    expect(clashes).toEqual([]);
    const namesOf = (component: string): Set<string> =>
      new Set([...immutable[0]!.keys()].filter((key) => key.startsWith(`Job chainwatch-${component}-`)));
    expect([namesOf('migrate').size, namesOf('bootstrap').size]).toEqual([4, 3]);
    // As an overlay with `images` would have it, which only Argo CD and Flux can apply.
    const [job] = releases[0]![0]!.filter(({ kind }) => kind === 'Job');
    const other = JSON.parse(JSON.stringify(job).replaceAll('chainwatch:1', 'chainwatch:9')) as Manifest;
    expect(pickImmutable(other)).not.toEqual(pickImmutable(job!));
    expect(job).toMatchObject({
      metadata: {
        annotations: {
          'argocd.argoproj.io/hook': 'Sync',
          'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
          'kustomize.toolkit.fluxcd.io/force': 'Enabled',
        },
      },
      spec: { ttlSecondsAfterFinished: 86_400 },
    });
  });

  it('names one image for all that is ours, which is pulled only where a node has none', () => {
    for (const path of ['base', 'overlays/production', 'overlays/trial', 'addons/bootstrap'])
      for (const object of rendered.get(path)!.filter(({ kind }) => /^(Deployment|Job)$/.test(kind))) {
        if (object.metadata.labels!['app.kubernetes.io/part-of'] !== 'chainwatch') continue;
        const { containers, initContainers = [] } = templateOf(object).spec;
        for (const container of [...containers, ...initContainers])
          expect(container).toMatchObject({ image: readSettings().image, imagePullPolicy: 'IfNotPresent' });
      }
    expect(readSettings().image).toMatch(/:[\w.-]+$/);
  });

  it('takes no working pod away in a rollout, and lets a node be drained', () => {
    for (const { spec } of ofKind('base', 'Deployment'))
      expect(spec).toMatchObject({ strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } });
    for (const { spec } of ofKind('base', 'PodDisruptionBudget'))
      expect(spec).toMatchObject({ maxUnavailable: 1 });
  });

  it('selects pods that there are: budgets, scalers, policies, monitors, routes', () => {
    const pods = [...rendered.get('base')!, ...rendered.get('addons/bootstrap')!]
      .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
      .map((object) => templateOf(object).metadata.labels);
    const selectors = ['base', 'addons/monitoring', 'addons/egress'].flatMap((path) =>
      rendered.get(path)!.flatMap(({ kind, spec }) => {
        const { selector, podSelector } = (spec ?? {}) as Record<string, never>;
        const { matchLabels = selector } = (podSelector ?? selector ?? {}) as { matchLabels?: object };
        return matchLabels === undefined ? [] : [{ kind, matchLabels: Object.entries(matchLabels) }];
      }),
    );
    expect(selectors.length).toBeGreaterThan(25);
    for (const { kind, matchLabels } of selectors)
      expect([
        kind,
        pods.filter((labels) => matchLabels.every(([name, value]) => labels[name] === value)),
      ]).not.toEqual([kind, []]);
    expect(ofKind('base', 'PodDisruptionBudget').map(({ metadata }) => metadata.name)).toEqual(
      [...serviceNames].sort(),
    );
    const scaled = services.filter(({ isScaled }) => isScaled).map(({ name }) => name);
    const targets = rendered
      .get('addons/keda')!
      .flatMap(({ spec }) => (spec as { scaleTargetRef?: { name: string } }).scaleTargetRef?.name ?? []);
    expect(targets.sort()).toEqual([...scaled].sort());
    const replicas = ofKind('overlays/production', 'Deployment').map(
      ({ metadata, spec }) => [metadata.name, (spec as { replicas?: number }).replicas] as const,
    );
    expect(Object.fromEntries(replicas)).toEqual(
      Object.fromEntries(services.map(({ name, isScaled }) => [name, isScaled ? undefined : 2])),
    );
    const backends = JSON.stringify([rendered.get('addons/ingress'), rendered.get('addons/gateway-api')]);
    for (const { metadata } of ofKind('base', 'Service')) expect(backends).toContain(`"${metadata.name}"`);
  });

  it('scales by CPU before the one thread of a service is full', () => {
    const requests = new Map(
      ofKind('overlays/production', 'Deployment').map((object) => [
        object.metadata.name,
        Number.parseInt(String(templateOf(object).spec.containers[0]!.resources.requests.cpu), 10),
      ]),
    );
    interface Scaler {
      readonly scaleTargetRef: { readonly name: string };
      readonly metrics?: readonly { resource: { target: { averageUtilization: number } } }[];
      readonly triggers?: readonly { type: string; metadata: { value: string } }[];
    }
    const used = ['HorizontalPodAutoscaler', 'ScaledObject'].flatMap((kind) =>
      ofKind('overlays/production', kind).map(({ spec }) => {
        const { scaleTargetRef, metrics, triggers } = spec as unknown as Scaler;
        const percent =
          metrics?.[0]!.resource.target.averageUtilization ??
          Number(triggers!.find(({ type }) => type === 'cpu')!.metadata.value);
        return [scaleTargetRef.name, (requests.get(scaleTargetRef.name)! * percent) / 100] as const;
      }),
    );
    expect(used.map(([name]) => name).sort()).toEqual(
      services
        .filter(({ isScaled }) => isScaled)
        .map(({ name }) => name)
        .sort(),
    );
    for (const [name, milli] of used) expect([name, milli >= 500 && milli <= 800]).toEqual([name, true]);
  });

  it('lets pods dial names, the database and its pooler, the bus, traces, and those that mail the mail server', () => {
    const ports = (policy: string): string[] =>
      ofKind('addons/egress', 'NetworkPolicy')
        .filter(({ metadata }) => metadata.name === policy)
        .flatMap(({ spec }) => (spec as { egress: { ports: { protocol: string; port: number }[] }[] }).egress)
        .flatMap((rule) => rule.ports.map(({ protocol, port }) => `${protocol} ${port}`));
    const all = ['UDP 53', 'TCP 53', 'TCP 5432', 'TCP 6432', 'TCP 4222', 'TCP 4318'];
    expect(ports('chainwatch-egress')).toEqual(all);
    expect(JSON.stringify(rendered.get('addons/egress'))).toContain('"169.254.20.10/32"');
    expect(ports('chainwatch-egress-mail')).toEqual(['TCP 25', 'TCP 465', 'TCP 587']);
    const mail = ofKind('addons/egress', 'NetworkPolicy').find(({ metadata }) =>
      metadata.name.endsWith('-mail'),
    );
    const { podSelector } = mail!.spec as { podSelector: { matchExpressions: { values: string[] }[] } };
    expect(podSelector.matchExpressions[0]!.values).toEqual(
      services.filter(({ mails }) => mails).map(({ name }) => name),
    );
    // What the pooler's Service sends to is a port that is let in and out.
    const [pooler] = ofKind('addons/pgbouncer', 'Deployment');
    expect(templateOf(pooler!).spec.containers[0]).toMatchObject({ ports: [{ containerPort: 6432 }] });
    expect(templateOf(pooler!).metadata.labels['app.kubernetes.io/part-of']).toBe('chainwatch');
    const [settings] = ofKind('addons/pgbouncer', 'ConfigMap');
    const ini = (settings!.data as Record<string, string>)['pgbouncer.ini']!;
    expect(ini).toMatch(/^listen_port = 6432$/m);
    expect(ini).toMatch(/^pool_mode = transaction$/m);
  });

  it('keeps installations apart by the label of the settings: scalers, scrapes', () => {
    const settings = { ...readSettings(), installation: 'eu', installationLabel: 'cluster' };
    const clone = join(folder, 'labels');
    for (const path of ['prisma', 'deploy'])
      cpSync(join(repoDir, path), join(clone, path), { recursive: true });
    writeFileSync(join(clone, SETTINGS), JSON.stringify(settings));
    const files = renderDeployment(clone);
    const queries = (text: string): string[] =>
      [...text.matchAll(/chainwatch_\w+\{[^}]*\}/g)].map(([query]) => query);
    expect(
      queries(readFileSync(join(repoDir, 'deploy/kubernetes/addons/keda/scaling.yaml'), 'utf8')),
    ).toEqual(['chainwatch_analyzer_lag_seconds{namespace="chainwatch"}']);
    expect(queries(files.get('deploy/kubernetes/addons/keda/scaling.yaml')!)).toEqual([
      'chainwatch_analyzer_lag_seconds{cluster="eu"}',
    ]);
    expect(parse(files.get('deploy/kubernetes/addons/monitoring/pod-monitor.yaml')!)).toMatchObject({
      spec: { podMetricsEndpoints: [{ relabelings: [{ targetLabel: 'cluster', replacement: 'eu' }] }] },
    });
    expect(parse(files.get('deploy/prometheus/prometheus.yaml')!)).toMatchObject({
      scrape_configs: [{ relabel_configs: [{ target_label: 'cluster', replacement: 'eu' }] }],
    });
  });

  it('gives the monitoring operator the rules and the dashboards that everybody has', () => {
    expect(ofKind('addons/monitoring', 'PrometheusRule')[0]!.spec).toEqual(
      parse(readFileSync(join(root, 'prometheus/rules.yaml'), 'utf8')),
    );
    const [dashboards] = ofKind('addons/monitoring', 'ConfigMap');
    expect(dashboards!.metadata.labels).toEqual({ grafana_dashboard: '1' });
    const texts = Object.values(dashboards!.data as Record<string, string>);
    expect(texts.map((text) => (JSON.parse(text) as { uid: string }).uid).sort()).toEqual(
      BOARDS.map(({ name }) => `chainwatch-${name}`).sort(),
    );
  });
});

const MUTATIONS: readonly (readonly [string, (object: never) => void])[] = [
  ['Deployment', (object: { spec: { replicas: unknown } }) => void (object.spec.replicas = 'two')],
  ['Deployment', (object: { spec: { selector?: object } }) => void delete object.spec.selector],
  [
    'Deployment',
    (object: { spec: { template: PodTemplate } }) =>
      void ((object.spec.template.spec.containers[0] as { args: unknown }).args = 'a'),
  ],
  [
    'Deployment',
    (object: { spec: { template: PodTemplate } }) =>
      void ((object.spec.template.spec as { containers: unknown }).containers = {}),
  ],
  ['Job', (object: { spec: { backoffLimit: unknown } }) => void (object.spec.backoffLimit = 'often')],
  ['Service', (object: { spec: { ports: object[] } }) => void (object.spec.ports = [{ name: 'http' }])],
  [
    'NetworkPolicy',
    (object: { spec: { policyTypes: unknown } }) => void (object.spec.policyTypes = 'Egress'),
  ],
  [
    'HorizontalPodAutoscaler',
    (object: { spec: { maxReplicas?: number } }) => void delete object.spec.maxReplicas,
  ],
  ['ScaledObject', (object: { spec: { triggers?: object } }) => void delete object.spec.triggers],
  ['PodMonitor', (object: { spec: { selector?: object } }) => void delete object.spec.selector],
  ['PrometheusRule', (object: { spec: { groups: object[] } }) => void (object.spec.groups = [{ rules: [] }])],
  [
    'HTTPRoute',
    (object: { spec: { hostnames: unknown } }) => void (object.spec.hostnames = 'api.example.com'),
  ],
  ['Ingress', (object: { spec: { tls: unknown } }) => void (object.spec.tls = true)],
  [
    'ExternalSecret',
    (object: { spec: { dataFrom: object[] } }) => void (object.spec.dataFrom = [{ extract: {} }]),
  ],
  ['PodDisruptionBudget', (object: { spec: { selector: unknown } }) => void (object.spec.selector = 'all')],
] as never;

/** What the API server refuses to change. */
function pickImmutable({ kind, spec = {} }: Manifest): object {
  const {
    selector,
    template,
    replicas: _replicas,
    updateStrategy: _strategy,
    ...rest
  } = spec as Record<string, unknown>;
  if (kind === 'Job') return { selector, template };
  if (kind === 'Deployment') return { selector };
  return kind === 'StatefulSet' ? { selector, ...rest } : {};
}

const CUSTOM: Readonly<Record<string, string>> = {
  'keda.sh': 'keda',
  'monitoring.coreos.com': 'prometheus-operator',
  'gateway.networking.k8s.io': 'gateway-api',
  'external-secrets.io': 'external-secrets',
};

/** What the kind's schema says against an object; kinds without a schema are a fault too. */
async function findFault(object: Manifest): Promise<string | undefined> {
  const { apiVersion, kind } = object;
  const custom = CUSTOM[apiVersion.split('/')[0]!];
  const prefix = custom === undefined ? 'kubernetes-models' : `@kubernetes-models/${custom}`;
  try {
    const models = (await import(`${prefix}/${apiVersion}/${kind}`)) as Record<
      string,
      new (
        object: Manifest,
      ) => { validate(): void }
    >;
    new models[kind]!(object).validate();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
