import type { Lease } from '@chainwatch/bus';
import { describePublicly, type ActiveChain, type UtxoCodec, Wake } from '@chainwatch/chain-core';
import { adoptRestoredRows, FencedError, raiseToken, startBeating } from '@chainwatch/db';
import type { EventRelay } from '@chainwatch/outbox';
import { writeStalled } from './advance-cursor.ts';
import type { AnalyzerDeps, AnalyzerOptions } from './analyzer-deps.ts';
import { askForMissedBalances } from './ask-for-missed-balances.ts';
import { ChainAnalyzer } from './chain-analyzer.ts';
import type { ChainReport } from './chain-report.ts';
import { discoverAssets } from './discover-assets.ts';
import type { FamilyWatch } from './family-watch.ts';
import { runReprocess } from './reprocess/run-reprocess.ts';
import { runBackfills } from './run-backfills.ts';
import { settleCoins } from './settle-coins.ts';
import { runWitnesses } from './unknown/run-witnesses.ts';

interface SeatDeps extends AnalyzerDeps {
  readonly relay: EventRelay<'tx-analyzer'>;
  readonly loadFamily: (utxo: UtxoCodec | undefined) => Promise<FamilyWatch>;
  readonly options: Required<AnalyzerOptions>;
}

const RETRY_MS = 1_000;

/** This replica's claim on one chain: stands by while another one has the lease, analyses while it is ours. */
export class ChainSeat {
  readonly #deps: SeatDeps;
  readonly #chain: ActiveChain;
  readonly #stop = new AbortController();
  readonly #wake = new Wake();
  readonly #done: Promise<void>;
  #analyzer: ChainAnalyzer | undefined;
  /** While nothing is analysed here. */
  #idle: Pick<ChainReport, 'status' | 'reason'> = {
    status: 'unknown',
    reason: 'the lease was not asked for yet',
  };

  constructor(deps: SeatDeps, chain: ActiveChain) {
    this.#deps = deps;
    this.#chain = chain;
    this.#done = this.#sit();
  }

  get report(): ChainReport {
    return this.#analyzer?.report ?? { ...this.#idle, chainGid: this.#chain.gid, lagBlocks: 0 };
  }

  get isOwner(): boolean {
    return this.#analyzer !== undefined;
  }

  notify(): void {
    this.#analyzer?.notify();
  }

  /** Resolves when the step under way is done and the lease is free. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#wake.notify();
    await this.#done;
  }

  async #sit(): Promise<void> {
    const { bus, owner, logger } = this.#deps;
    const { gid } = this.#chain;
    while (!this.#stop.signal.aborted) {
      let lease: Lease | undefined;
      try {
        lease = await bus.leases.tryAcquire(`analyzer.${gid.replaceAll(':', '_')}`, owner);
        if (lease !== undefined && !this.#stop.signal.aborted) await this.#hold(lease);
        this.#idle = { status: 'standby' };
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (reason !== this.#idle.reason)
          logger.warn(
            { chain_gid: gid, error: reason },
            'the chain could not be analysed, it is tried again',
          );
        // With the lease in hand it is known that nobody analyses the chain; without an answer it is not known who does.
        this.#idle = { status: lease === undefined ? 'unknown' : 'stalled', reason };
      } finally {
        await lease?.release().catch(() => undefined);
      }
      await this.#wake.wait(this.#stop.signal.aborted ? 0 : RETRY_MS);
    }
  }

  async #hold(lease: Lease): Promise<void> {
    const { db, owner, logger } = this.#deps;
    const { gid } = this.#chain;
    const end = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, lease.lost, end.signal]);
    const token = await raiseToken(db, 'analyzer_states', gid, owner);
    const stopBeating = startBeating({
      db,
      table: 'analyzer_states',
      chainGid: gid,
      token,
      onFenced: () => end.abort(),
    });
    try {
      await this.#analyze(token, signal, end);
    } catch (error) {
      // What cannot even begin is told as well, or it would look as if nobody were there.
      if (!(error instanceof FencedError))
        await writeStalled(db, { gid, token }, describePublicly(error)).catch(() => undefined);
      if (!(error instanceof FencedError)) throw error;
      logger.warn({ chain_gid: gid }, 'another replica took the chain over, this one let go');
    } finally {
      stopBeating();
    }
  }

  async #analyze(token: number, signal: AbortSignal, end: AbortController): Promise<void> {
    const { db, bus, logger, options } = this.#deps;
    const { gid } = this.#chain;
    const opened = await this.#deps.openChain(this.#chain);
    const backlog = this.#deps.openBacklog?.(this.#chain);
    this.#idle = { status: 'catching_up' };
    try {
      if (await adoptRestoredRows(db))
        logger.warn({}, 'the database was restored from a dump, its addresses were taken over');
      const family = await this.#deps.loadFamily(opened.utxo);
      logger.info({ chain_gid: gid, fence: token }, 'the chain was taken over');
      if (opened.utxo === undefined) await askForMissedBalances({ sql: db, network: opened.network, signal });
      const analyzer = new ChainAnalyzer(
        {
          ...this.#deps,
          family,
          options,
          now: () => new Date(),
          ...(backlog === undefined ? {} : { backlog }),
        },
        this.#chain,
        opened,
        token,
      );
      this.#analyzer = analyzer;
      const unsubscribes = [
        bus.subscribe('block.seen', [gid], ({ payload }) => analyzer.anticipate(payload)),
        bus.subscribe('block.new', [gid], ({ payload, traceparent }) => analyzer.push(payload, traceparent)),
      ];
      const discovery = discoverAssets({
        db,
        client: opened.client,
        chainGid: gid,
        assets: analyzer.assets,
        logger,
        signal,
      });
      const backfills =
        opened.utxo &&
        runBackfills({
          sql: db,
          client: opened.client,
          readBlock: analyzer.readBlock,
          codec: opened.utxo,
          chainGid: gid,
          logger,
          signal,
          settle: (batch, found) => analyzer.desk.hand(settleCoins(batch, found)),
        });
      const witnesses = runWitnesses({
        sql: db,
        client: opened.client,
        chain: { gid, token },
        desk: analyzer.desk,
        logger,
        pollMs: options.pollMs,
        signal,
      });
      const reprocess = runReprocess({
        sql: db,
        chainGid: gid,
        desk: analyzer.desk,
        readBody: analyzer.readBodyFor(signal),
        logger,
        pollMs: options.pollMs,
        signal,
      });
      try {
        await analyzer.run(signal);
      } finally {
        for (const unsubscribe of unsubscribes) unsubscribe();
        end.abort();
        await Promise.all([discovery, backfills, witnesses, reprocess]);
      }
    } finally {
      this.#analyzer = undefined;
      opened.client.close();
      backlog?.close();
    }
  }
}
