// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@chainwatch/platform/telemetry';
import { randomUUID } from 'node:crypto';
import {
  JetStreamApiError,
  StorageType,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { SUBJECTS, streamOf, type SubjectKind } from '@chainwatch/events';
import type { StreamState } from './bus.ts';

const HOUR_MS = 3_600_000;
const MIB = 1024 * 1024;
/** Events of customers are kept for a week, hints for a day: both are only a buffer, the outbox is the truth. */
const LONG_LIVED = new Set(['tx', 'balance']);
const NO_SPACE_CODES = new Set([10023, 10028, 10047]);
const NAME_IN_USE = 10058;

const STREAM_NAMES: readonly string[] = [
  ...new Set(Object.keys(SUBJECTS).map((kind) => streamOf(kind as SubjectKind))),
];

export interface StreamSet {
  /** Makes the streams that are missing. Calls made meanwhile share one run. */
  ensure(): Promise<void>;
  /** Makes the streams have as many replicas as is configured. Never rejects: a stream with fewer serves as well. */
  keepReplicas(): Promise<void>;
  /** Asks the server, makes the stream when it is missing. */
  read(stream: string): Promise<StreamState>;
  /** The last state this process has seen. */
  stateOf(stream: string): StreamState;
  /** The server has stored a message. */
  noteStored(stream: string, seq: number): void;
  onRecreated(listener: (stream: string) => void): () => void;
  /** Made by this process at its start: the server may have been wiped while we were down. */
  readonly fresh: ReadonlySet<string>;
}

interface StreamSetOptions {
  readonly manager: JetStreamManager;
  /** Undefined: 1 for new streams; existing ones keep what they have. */
  readonly replicas: number | undefined;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

const NOT_SEEN: StreamState = { incarnation: '', lastSeq: 0 };

export function createStreamSet({ manager, replicas, logger }: StreamSetOptions): StreamSet {
  const seen = new Map<string, StreamState>();
  const listeners = new Set<(stream: string) => void>();
  const fresh = new Set<string>();
  let running: Promise<void> | undefined;

  async function read(name: string): Promise<StreamState> {
    // What was known when the question was sent: the answer is at least as new.
    const before = seen.get(name);
    const { info, isNew } = await ensureStream(manager, { name, replicas: replicas ?? 1, logger });
    const state = { incarnation: info.config.description ?? '', lastSeq: info.state.last_seq };
    const current = seen.get(name);
    if (before === undefined && isNew) fresh.add(name);
    const isNews = before !== undefined && isLost(before, state) && !isLost(before, current ?? before);
    seen.set(name, current === undefined || isNews ? state : newerOf(current, state));
    if (isNews) tell(name, before, state);
    return state;
  }

  function tell(name: string, before: StreamState, { incarnation, lastSeq }: StreamState): void {
    logger.warn(
      { stream: name, incarnation, last_seq: lastSeq, last_seq_before: before.lastSeq },
      'the stream was lost by the server and made anew',
    );
    for (const listener of listeners) {
      try {
        listener(name);
      } catch (error) {
        logger.error({ stream: name, err: error }, 'a listener for recreated streams failed');
      }
    }
  }

  return {
    ensure() {
      running ??= Promise.all(STREAM_NAMES.map(read))
        .then(() => undefined)
        .finally(() => {
          running = undefined;
        });
      return running;
    },
    async keepReplicas() {
      if (replicas === undefined) return;
      await Promise.all(STREAM_NAMES.map((name) => keepReplicas(manager, { name, replicas, logger })));
    },
    read,
    stateOf: (stream) => seen.get(stream) ?? NOT_SEEN,
    noteStored(stream, seq) {
      const current = seen.get(stream);
      if (current !== undefined && seq > current.lastSeq) seen.set(stream, { ...current, lastSeq: seq });
    },
    fresh,
    onRecreated(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The stream was created anew, or forgot messages that it had stored: its disk was restored to an earlier state. */
function isLost(before: StreamState, state: StreamState): boolean {
  return before.incarnation !== state.incarnation || before.lastSeq > state.lastSeq;
}

/** Chooses between two answers that crossed. Of two incarnations the one noted first is the newer. */
function newerOf(current: StreamState, state: StreamState): StreamState {
  return current.incarnation === state.incarnation && state.lastSeq > current.lastSeq ? state : current;
}

async function keepReplicas(
  manager: JetStreamManager,
  {
    name,
    replicas,
    logger,
  }: {
    readonly name: string;
    readonly replicas: number;
    readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  },
): Promise<void> {
  try {
    const { config } = await manager.streams.info(name);
    if (config.num_replicas === replicas) return;
    await manager.streams.update(name, { ...config, num_replicas: replicas });
    logger.info({ stream: name, replicas, replicas_before: config.num_replicas }, 'a stream was replicated');
  } catch (error) {
    logger.error({ stream: name, replicas, err: error }, 'failed to set stream replicas');
  }
}

async function ensureStream(
  manager: JetStreamManager,
  {
    name,
    replicas,
    logger,
  }: {
    readonly name: string;
    readonly replicas: number;
    readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  },
): Promise<{ info: StreamInfo; isNew: boolean }> {
  const existing = await findStream(manager, name);
  if (existing !== undefined) return { info: await nameIncarnation(manager, existing), isNew: false };
  for (let maxBytes = LONG_LIVED.has(name) ? 2_048 * MIB : 256 * MIB; ; maxBytes /= 8) {
    try {
      const info = await manager.streams.add(streamConfig(name, replicas, maxBytes));
      logger.info({ stream: name, max_bytes: maxBytes }, 'a stream was made');
      return { info, isNew: true };
    } catch (error) {
      const code = error instanceof JetStreamApiError ? error.code : 0;
      // Another replica was faster with an older configuration: its stream serves as well.
      if (code === NAME_IN_USE)
        return { info: await nameIncarnation(manager, await manager.streams.info(name)), isNew: false };
      // A small disk: the server reserves max_bytes at once.
      if (!NO_SPACE_CODES.has(code) || maxBytes < 4 * MIB) throw error;
    }
  }
}

/**
 * A stream's creation time would not do: each server of a cluster has its own, so that the stream would look new
 * after each change of the leader. Streams of earlier versions get a description; it is the same whichever replica
 * is first.
 */
async function nameIncarnation(manager: JetStreamManager, info: StreamInfo): Promise<StreamInfo> {
  if (info.config.description) return info;
  return manager.streams.update(info.config.name, {
    ...info.config,
    description: `incarnation ${info.created}`,
  });
}

async function findStream(manager: JetStreamManager, name: string): Promise<StreamInfo | undefined> {
  try {
    return await manager.streams.info(name);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === 404) return undefined;
    throw error;
  }
}

function streamConfig(
  name: string,
  replicas: number,
  maxBytes: number,
): Partial<StreamConfig> & { name: string } {
  return {
    name,
    description: `incarnation ${randomUUID()}`,
    subjects: [`${name}.>`],
    storage: StorageType.File,
    max_age: nanos(LONG_LIVED.has(name) ? 7 * 24 * HOUR_MS : 24 * HOUR_MS),
    max_bytes: maxBytes,
    duplicate_window: nanos(120_000),
    num_replicas: replicas,
  };
}
