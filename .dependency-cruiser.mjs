// SPDX-License-Identifier: Apache-2.0
/** Specs, and what only specs share: `spec-*.ts` beside them, or a folder `spec-*`. */
const SPECS = ['\\.spec\\.ts$', '/spec-[^/]+(\\.ts$|/)'];

const TESTING = '^libs/(testing|data/src/testing)/';

/** Rooms of a package, lowest first: a file imports from its own room and from those below. */
const ROOMS = {
  'libs/common': ['problem', 'amounts', 'caip', 'api-key'],
  'libs/platform': ['secrets', 'config', 'telemetry', 'http', 'cache'],
  'libs/data': ['db', 'bus', 'key-store', 'quarantine', 'ownership', 'outbox', 'testing'],
  'apps/tx-analyzer': [
    'model',
    'watch',
    'feed',
    'utxo',
    'match',
    'commit',
    'mempool',
    'backfill',
    'round',
    'history',
    'reprocess',
    'incidents',
    'evidence',
    'chain',
  ],
  'apps/balance-service': ['read', 'work', 'plan', 'store', 'chain'],
};

/** The services' entry stands above every room, and no import of a room leads up. */
const orderRooms = (app, rooms) =>
  rooms.map((room, index) => ({
    name: `${app.split('/')[1]}-${room}-is-below`,
    severity: 'error',
    comment: `Rooms of ${app}, lowest first: ${rooms.join(', ')}.`,
    from: { path: `^${app}/src/${room}/`, pathNot: SPECS },
    to: {
      path: [`^${app}/src/[^/]+\\.ts$`, ...rooms.slice(index + 1).map((above) => `^${app}/src/${above}/`)],
    },
  }));

/** File-level rules; which package may import which is the business of eslint's module boundaries. */
export default {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      comment: 'A cycle has no first file to read, one of types neither.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'api-gateway-ground',
      severity: 'error',
      comment: 'Records and what serves every route are below the rooms of the API.',
      from: { path: '^apps/api-gateway/src/(records|server)/', pathNot: SPECS },
      to: { path: '^apps/api-gateway/src/(?!records/|server/)' },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'Nothing imports it and it imports nothing.',
      from: {
        orphan: true,
        pathNot: [
          '\\.mjs$',
          '\\.spec\\.ts$',
          '\\.d\\.ts$',
          'src/index\\.ts$',
          'src/main\\.ts$',
          'vite\\.config\\.ts$',
        ],
      },
      to: {},
    },
    {
      name: 'no-specs-in-product',
      severity: 'error',
      comment: 'Specs and their helpers are for specs and tools.',
      from: { path: '^(apps|libs)/', pathNot: SPECS },
      to: { path: SPECS },
    },
    {
      name: 'no-testing-in-product',
      severity: 'error',
      comment: 'libs/testing and @chainwatch/data/testing are for specs and tools.',
      from: { path: '^(apps|libs)/', pathNot: [...SPECS, TESTING] },
      to: { path: TESTING },
    },
    {
      name: 'no-tools-in-product',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: [...SPECS, TESTING] },
      to: { path: '^tools/' },
    },
    {
      name: 'no-dev-dependency-in-product',
      severity: 'error',
      comment:
        'Images are built without devDependencies. Entries named source.worker.mjs are for running from the sources, build.mjs is for building.',
      from: {
        path: '^(apps|libs)/',
        pathNot: [...SPECS, TESTING, '/examples/', '/(source\\.worker|build)\\.mjs$', '/vite\\.config\\.ts$'],
      },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-undeclared-dependency',
      severity: 'error',
      comment:
        'Each package.json names what its files import. The one in tools/devnet/bitcoin is that of a node.',
      from: { path: '^(apps|libs|tools)/', pathNot: '^tools/devnet/bitcoin/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'domain-does-no-io',
      severity: 'error',
      comment: 'Pure libraries take what they need from the caller.',
      from: {
        path: '^libs/((common|webhook-signature|verify|events|chain-core|watch-set)/src|ethereum/src/abi)/',
        pathNot: SPECS,
      },
      to: {
        dependencyTypes: ['core'],
        path: '^(node:)?(fs|net|http|https|http2|tls|dgram|dns|child_process|cluster|worker_threads)(/|$)',
      },
    },
    ...Object.entries(ROOMS).flatMap(([app, rooms]) => orderRooms(app, rooms)),
  ],
  options: {
    doNotFollow: { path: ['node_modules', 'libs/data/src/db/generated'] },
    exclude: { path: ['libs/data/src/db/generated', '\\.chainwatch', '/dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main'],
    },
  },
};
