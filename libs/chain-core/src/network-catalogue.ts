import type { z } from 'zod';
import { parseNetwork, parseNetworks, type NetworkDocument } from './network-schema.ts';
import type { Network } from './network.ts';

/** The networks of a family: those of this build, and those that documents of an operator add or put in their place. */
export class NetworkCatalogue {
  readonly #schema: z.ZodType<NetworkDocument>;
  readonly #builtIn: readonly Network[];
  #networks: readonly Network[];

  /** @throws ZodError naming the row and the member */
  constructor(schema: z.ZodType<NetworkDocument>, builtIn: readonly unknown[]) {
    this.#schema = schema;
    this.#builtIn = parseNetworks(schema, builtIn);
    this.#networks = this.#builtIn;
  }

  get builtIn(): readonly Network[] {
    return this.#builtIn;
  }

  /** As they are now, those of this build first. */
  get networks(): readonly Network[] {
    return this.#networks;
  }

  /** By which a calendar of upgrades may call a network: as this build does, or as a document does. */
  calendarNamesOf(gid: string): readonly string[] {
    const all = [...this.#builtIn, ...this.#networks].filter((network) => network.gid === gid);
    return [...new Set(all.map(({ name }) => name))];
  }

  /** @throws ZodError naming the members */
  parse(document: unknown): Network {
    return parseNetwork(this.#schema, document);
  }

  /** Takes the place of what was given before. */
  override(networks: readonly Network[]): void {
    const given = new Map(networks.map((network) => [network.gid, network]));
    const own = this.#builtIn.map((network) => {
      const other = given.get(network.gid);
      given.delete(network.gid);
      return other ?? network;
    });
    this.#networks = [...own, ...given.values()];
  }
}
