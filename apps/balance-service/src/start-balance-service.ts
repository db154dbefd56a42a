import type { Bus } from '@chainwatch/bus';
import { createFailoverClient, type ChainClient, type Dial } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import type { Database } from '@chainwatch/db';
import { EventRelay } from '@chainwatch/outbox';
import type { Sealer } from '@chainwatch/secrets';
import { notOk, ok, probe, type Checks, type Logger } from '@chainwatch/telemetry';
import { ChainWorker } from './chain-worker.ts';

export interface BalanceServiceDeps {
  readonly db: Database;
  readonly bus: Bus<'balance-service'>;
  readonly sealer: Pick<Sealer, 'open'>;
  readonly logger: Logger;
  readonly dial?: Dial;
  /** More endpoints by chain gid. */
  readonly endpoints?: Readonly<Record<string, readonly string[]>>;
  readonly nodeTimeoutMs?: number;
  readonly clock?: () => Date;
  /** Tests give their own chains. */
  readonly openClient?: (chainGid: string, endpointUrls: readonly string[]) => Promise<ChainClient | undefined>;
}

interface ChainRow {
  readonly gid: string;
  readonly endpoint_sealed: string | null;
  readonly evm_endpoint_sealed: string | null;
}

const READ_CHAINS_MS = 1_000;
const TX_KINDS = ['tx.detected', 'tx.confirmed', 'tx.reorged'] as const;

/** Keeps the balances of every active chain and publishes what changed. */
export async function startBalanceService(deps: BalanceServiceDeps): Promise<{ stop(): Promise<void>; readiness(): Promise<Checks> }> {
  const { db, bus, logger } = deps;
  const workers = new Map<string, { worker: ChainWorker; row: ChainRow }>();
  const relay = new EventRelay<'balance-service'>({
    db,
    bus,
    logger,
    subjects: ['balance.changed'],
    chainGids: () => [...workers.values()].filter(({ worker }) => worker.isOwner).map(({ worker }) => worker.chainGid),
  });

  const open = deps.openClient ?? ((gid, urls) => openClient(deps, gid, urls));
  const reconcile = async (): Promise<void> => {
    const { rows } = await db.query<ChainRow>('SELECT gid, endpoint_sealed, evm_endpoint_sealed FROM blockchains WHERE is_active');
    const active = new Map(rows.map((row) => [row.gid, row]));
    for (const [gid, { worker, row }] of workers) {
      const now = active.get(gid);
      if (now !== undefined && now.endpoint_sealed === row.endpoint_sealed && now.evm_endpoint_sealed === row.evm_endpoint_sealed) continue;
      workers.delete(gid);
      await worker.stop();
    }
    for (const row of active.values()) {
      if (workers.has(row.gid)) continue;
      const client = await open(row.gid, listEndpoints(deps, row));
      if (client === undefined) continue;
      const publish = relay.publish.bind(relay);
      workers.set(row.gid, { row, worker: new ChainWorker({ db, client, publish, logger, clock: deps.clock ?? (() => new Date()) }) });
    }
  };
  const loop = repeat(READ_CHAINS_MS, reconcile, (error) => logger.warn({ err: error }, 'the chains could not be read'));

  const wake = (chainGid: string | undefined): void => {
    if (chainGid === undefined) for (const { worker } of workers.values()) worker.wake();
    else workers.get(chainGid)?.worker.wake();
  };
  const unsubscribe = [
    // Hints only: the work itself stands in balance_reads, so that nothing depends on a message.
    ...TX_KINDS.map((kind) => bus.subscribe(kind, [], (message) => wake(message.tokens[0]))),
    bus.subscribe('address.watched', [], () => wake(undefined)),
    bus.subscribe('chain.changed', [], () => loop.now()),
  ];

  return {
    async stop() {
      for (const end of unsubscribe) end();
      await loop.stop();
      await Promise.all([...workers.values()].map(({ worker }) => worker.stop()));
      await relay.stop();
    },
    async readiness() {
      const chains = [...workers.values()].map(({ worker }) => [`chain ${worker.chainGid}`, worker.reason === undefined ? ok : notOk(worker.reason)] as const);
      return { postgres: await probe(() => db.query('SELECT 1')), ...Object.fromEntries(chains) };
    },
  };
}

function listEndpoints(deps: BalanceServiceDeps, row: ChainRow): string[] {
  const sealed = [
    [row.endpoint_sealed, `endpoint:${row.gid}`],
    [row.evm_endpoint_sealed, `evm_endpoint:${row.gid}`],
  ] as const;
  const stored = sealed.flatMap(([text, context]) => (text === null ? [] : [deps.sealer.open(text, context)])).slice(0, 1);
  return [...new Set([...stored, ...(deps.endpoints?.[row.gid] ?? [])])];
}

async function openClient(deps: BalanceServiceDeps, chainGid: string, endpointUrls: readonly string[]): Promise<ChainClient | undefined> {
  const network = findNetwork(chainGid);
  const family = await findFamily(chainGid.slice(0, chainGid.indexOf(':')));
  if (network === undefined || family === undefined || endpointUrls.length === 0) return undefined;
  return createFailoverClient(endpointUrls.map((endpointUrl) => family.createClient({ network, endpointUrl, ...(deps.dial && { dial: deps.dial }), ...(deps.nodeTimeoutMs && { timeoutMs: deps.nodeTimeoutMs }) })));
}

/** Runs `work` now, every `everyMs`, and when told to; one run at a time. */
function repeat(everyMs: number, work: () => Promise<void>, onError: (error: unknown) => void): { now(): void; stop(): Promise<void> } {
  let isStopped = false;
  let wake: () => void = () => undefined;
  const done = (async () => {
    while (!isStopped) {
      await work().catch(onError);
      if (!isStopped) await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, everyMs);
        wake = () => (clearTimeout(timer), resolve());
      });
    }
  })();
  return {
    now: () => wake(),
    stop: async () => {
      isStopped = true;
      wake();
      await done;
    },
  };
}
