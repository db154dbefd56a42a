// SPDX-License-Identifier: Apache-2.0
import type { z } from 'zod';
import { parseNetwork, parseNetworks, type NetworkDocument } from './network-schema.ts';
import type { Network } from './network.ts';

/** The networks of a family: those of this build, and those that documents of an operator add or put in their place. */
export class NetworkCatalogue {
  readonly #schema: z.ZodType<NetworkDocument>;
  readonly #builtIn: readonly Network[];
  #networks: readonly Network[];
  readonly #learned = new Map<string, Network>();

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

  /** A network as a document says it, known from now on. @throws ZodError naming the members */
  learn(document: unknown): Network {
    const text = JSON.stringify(document);
    const known = this.#learned.get(text);
    if (known !== undefined && this.#networks.includes(known)) return known;
    const network = this.parse(document);
    this.#learned.set(text, network);
    const others = this.#networks.filter(({ gid }) => gid !== network.gid);
    this.#networks = [...others, network];
    return network;
  }

  /** A network as this build says it, known so from now on. Undefined: this build has none. */
  recall(gid: string): Network | undefined {
    const own = this.#builtIn.find((network) => network.gid === gid);
    if (own !== undefined && !this.#networks.includes(own))
      this.#networks = [...this.#networks.filter((network) => network.gid !== gid), own];
    return own;
  }

  /** What follows from the networks, made again when they have changed. */
  derive<T>(make: (networks: readonly Network[]) => T): () => T {
    let made: { readonly networks: readonly Network[]; readonly value: T } | undefined;
    return () => {
      if (made?.networks !== this.#networks) made = { networks: this.#networks, value: make(this.#networks) };
      return made.value;
    };
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
