// SPDX-License-Identifier: Apache-2.0
import type { BusOptions } from './create-bus.ts';

/** The variables of a service's connection to NATS, as `NATS_VARIABLES` of @chainwatch/platform/config picks them. */
export interface NatsVariables {
  readonly NATS_URL: string;
  readonly NATS_REPLICAS?: number | undefined;
  readonly NATS_CREDS_FILE?: string | undefined;
  readonly NATS_NKEY_SEED_FILE?: string | undefined;
  readonly NATS_CA_FILE?: string | undefined;
  readonly NATS_CERT_FILE?: string | undefined;
  readonly NATS_KEY_FILE?: string | undefined;
}

/** How `createBus` connects with what a service's configuration says. */
export function natsOptionsOf(config: NatsVariables): Pick<BusOptions, 'url' | 'replicas' | 'files'> {
  return {
    url: config.NATS_URL,
    replicas: config.NATS_REPLICAS,
    files: {
      credsFile: config.NATS_CREDS_FILE,
      nkeySeedFile: config.NATS_NKEY_SEED_FILE,
      caFile: config.NATS_CA_FILE,
      certFile: config.NATS_CERT_FILE,
      keyFile: config.NATS_KEY_FILE,
    },
  };
}
