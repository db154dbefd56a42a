// SPDX-License-Identifier: Apache-2.0
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawnServer, startRestartable, type RestartableServer } from './child-servers.ts';
import { findFreePort } from './find-free-port.ts';
import { findProgram } from './find-program.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import { waitForPort } from './wait-for-port.ts';

export interface RabbitMqHandle extends RestartableServer {
  /** With the user `guest`. */
  readonly url: string;
  readonly port: number;
}

/** The program; undefined where RabbitMQ is not installed. Debian's own script in PATH wants another user. */
export const findRabbitMq = (): string | undefined =>
  findProgram('rabbitmq-server', ['/usr/lib/rabbitmq/bin']);

/** A RabbitMQ server on a free port of 127.0.0.1. */
export async function startRabbitMq(): Promise<RabbitMqHandle> {
  const program = findRabbitMq();
  if (program === undefined)
    throw new Error('RabbitMQ was not found: install it, such as apt-get install rabbitmq-server.');
  const port = await findFreePort();
  const directory = createTemporaryDirectory('rabbitmq');
  await writeFile(
    join(directory, 'rabbitmq.conf'),
    `listeners.tcp.1 = 127.0.0.1:${port}\nlog.console = true\nlog.console.level = error\ndisk_free_limit.absolute = 50MB\n`,
  );
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    HOME: directory,
    RABBITMQ_NODENAME: `spec${port}@localhost`,
    RABBITMQ_DIST_PORT: String(await findFreePort()),
    RABBITMQ_CONFIG_FILE: join(directory, 'rabbitmq.conf'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(directory, 'plugins'),
    RABBITMQ_MNESIA_BASE: join(directory, 'mnesia'),
    RABBITMQ_LOG_BASE: join(directory, 'log'),
    RABBITMQ_PID_FILE: join(directory, 'pid'),
    // Its script becomes the server instead of waiting for it, so that a signal reaches the server.
    RUNNING_UNDER_SYSTEMD: '1',
  };
  const start = async () => {
    const started = spawnServer(program, [], { directory, env });
    await waitForPort(started, port);
    return started;
  };
  return {
    url: `amqp://127.0.0.1:${port}`,
    port,
    ...(await startRestartable(start, directory)),
  };
}
