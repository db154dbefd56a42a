import type { Bus } from '@chainwatch/bus';
import { createFailoverClient, type Dial } from '@chainwatch/chain-core';
import { findFamily, findNetwork } from '@chainwatch/chain-registry';
import type { Database } from '@chainwatch/db';
import { EventRelay } from '@chainwatch/outbox';
import type { Sealer } from '@chainwatch/secrets';
import { notOk, ok, probe, type Checks, type Logger } from '@chainwatch/telemetry';
import type { BalanceReader } from './balance-reader.ts';
import { ChainWorker } from './chain-worker.ts';
import { createUtxoReader } from './create-utxo-reader.ts';

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
  readonly openClient?: (chainGid: string, endpointUrls: readonly string[]) => Promise<BalanceReader | undefined>;
}

export interface BalanceService {
  stop(): Promise<void>;
  readiness(): Promise<Checks>;
}

interface Seat {
  readonly row: ChainRow;
  readonly worker: ChainWorker;
}

interface ChainRow {
  readonly gid: string;
  readonly endpoint_sealed: string | null;
  readonly evm_endpoint_sealed: string | null;
}

const READ_CHAINS_MS = 1_000;
const TX_KINDS = ['tx.detected', 'tx.confirmed', 'tx.reorged'] as const;

/** Keeps the balances of every active chain and publishes what changed. */
export async function startBalanceService(deps: BalanceServiceDeps): Promise<BalanceService> {
  const { db, bus, logger } = deps;
  const seats = new Map<string, Seat>();
  /** Chains that could not be opened, with the reason. */
  const faults = new Map<string, string>();
  const owned = (): string[] => [...seats.values()].filter(({ worker }) => worker.isOwner).map(({ worker }) => worker.chainGid);
  const relay = new EventRelay<'balance-service'>({ db, bus, logger, subjects: ['balance.changed'], chainGids: owned });
  const openChain = deps.openClient ?? ((gid, urls) => openClient(deps, gid, urls));

  const enter = async (row: ChainRow): Promise<void> => {
    try {
      const client = await openChain(row.gid, listEndpoints(deps, row));
      faults.delete(row.gid);
      if (client === undefined) return void faults.set(row.gid, 'there is no endpoint');
      const publish = relay.publish.bind(relay);
      seats.set(row.gid, { row, worker: new ChainWorker({ db, client, publish, logger, clock: deps.clock ?? (() => new Date()) }) });
    } catch (error) {
      // One chain's endpoint that cannot be opened is no reason to leave the others alone.
      faults.set(row.gid, String(error));
    }
  };
  const reconcile = async (): Promise<void> => {
    const { rows } = await db.query<ChainRow>('SELECT gid, endpoint_sealed, evm_endpoint_sealed FROM blockchains WHERE is_active');
    const active = new Map(rows.map((row) => [row.gid, row]));
    for (const gid of faults.keys()) if (!active.has(gid)) faults.delete(gid);
    const leaving = [...seats].filter(([gid, { row }]) => !hasSameEndpoints(row, active.get(gid)));
    for (const [gid] of leaving) seats.delete(gid);
    await Promise.all(leaving.map(([, { worker }]) => worker.stop()));
    for (const row of active.values()) if (!seats.has(row.gid)) await enter(row);
  };
  const loop = repeat(READ_CHAINS_MS, reconcile, (error) => logger.warn({ err: error }, 'the chains could not be read'));

  const unsubscribe = [
    // Hints only: the work itself stands in balance_reads, so that nothing depends on a message.
    ...TX_KINDS.map((kind) => bus.subscribe(kind, [], ({ tokens }) => seats.get(tokens[0] ?? '')?.worker.wake())),
    bus.subscribe('address.watched', [], () => {
      for (const { worker } of seats.values()) worker.wake();
    }),
    bus.subscribe('chain.changed', [], () => loop.now()),
  ];

  return {
    async stop() {
      for (const end of unsubscribe) end();
      await loop.stop();
      await Promise.all([...seats.values()].map(({ worker }) => worker.stop()));
      await relay.stop();
    },
    async readiness() {
      const reasons = [...faults, ...[...seats.values()].map(({ worker }) => [worker.chainGid, worker.reason] as const)];
      const chains = reasons.map(([gid, reason]) => [`chain ${gid}`, reason === undefined ? ok : notOk(reason)] as const);
      return { postgres: await probe(() => db.query('SELECT 1')), nats: bus.isConnected ? ok : notOk('NATS does not answer'), ...Object.fromEntries(chains) };
    },
  };
}

function hasSameEndpoints(row: ChainRow, now: ChainRow | undefined): boolean {
  return now !== undefined && now.endpoint_sealed === row.endpoint_sealed && now.evm_endpoint_sealed === row.evm_endpoint_sealed;
}

function listEndpoints(deps: BalanceServiceDeps, row: ChainRow): string[] {
  const sealed = [
    [row.endpoint_sealed, `endpoint:${row.gid}`],
    [row.evm_endpoint_sealed, `evm_endpoint:${row.gid}`],
  ] as const;
  const stored = sealed.flatMap(([text, context]) => (text === null ? [] : [deps.sealer.open(text, context)])).slice(0, 1);
  return [...new Set([...stored, ...(deps.endpoints?.[row.gid] ?? [])])];
}

async function openClient(deps: BalanceServiceDeps, chainGid: string, endpointUrls: readonly string[]): Promise<BalanceReader | undefined> {
  const network = findNetwork(chainGid);
  const family = await findFamily(chainGid.slice(0, chainGid.indexOf(':')));
  if (network === undefined || family === undefined) return undefined;
  // Such a chain's nodes know no addresses: its coins stand in the database.
  if (family.utxo) return createUtxoReader({ db: deps.db, network });
  if (endpointUrls.length === 0) return undefined;
  return createFailoverClient(endpointUrls.map((endpointUrl) => family.createClient({ network, endpointUrl, ...(deps.dial && { dial: deps.dial }), ...(deps.nodeTimeoutMs && { timeoutMs: deps.nodeTimeoutMs }) })));
}

/** Runs `work` now, every `everyMs`, and when told to; one run at a time. */
function repeat(everyMs: number, work: () => Promise<void>, onError: (error: unknown) => void): { now(): void; stop(): Promise<void> } {
  let isStopped = false;
  let isDue = false;
  let wake: () => void = () => undefined;
  const done = (async () => {
    while (!isStopped) {
      isDue = false;
      await work().catch(onError);
      if (!isStopped && !isDue) await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, everyMs);
        wake = () => (clearTimeout(timer), resolve());
      });
    }
  })();
  return {
    now: () => {
      isDue = true;
      wake();
    },
    stop: async () => {
      isStopped = true;
      wake();
      await done;
    },
  };
}
