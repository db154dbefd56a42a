// SPDX-License-Identifier: Apache-2.0
import { startTcpProxy, type TcpProxy } from '@chainwatch/testing';
import { freePort, type ServiceName, type Services } from './services.ts';

/** As in deploy/services.json. */
export type Service = Exclude<ServiceName, `${string}-${number}`>;
export type Gateway = 'api-gateway' | 'rpc-proxy';

export interface Replica {
  readonly service: Service;
  readonly name: ServiceName;
  /** Of a gateway. */
  readonly port: number;
}

/** How long a balancer goes on sending to a replica that was told to stop: shorter than a gateway drains by default. */
const NOTICED_AFTER_MS = 3_000;
/** terminationGracePeriodSeconds of the manifests: what still runs then is killed. */
const GRACE_MS = 45_000;

const isGateway = (service: Service): service is Gateway =>
  service === 'api-gateway' || service === 'rpc-proxy';

/** Replicas that come and go as an orchestrator does it, with a balancer before each gateway. */
export class Fleet {
  readonly #services: () => Services;
  readonly #replicas = new Map<Service, readonly Replica[]>();
  readonly #balancers = new Map<Gateway, TcpProxy>();
  readonly #counts = new Map<Service, number>();

  constructor(services: () => Services) {
    this.#services = services;
  }

  replicasOf(service: Service): readonly Replica[] {
    return this.#replicas.get(service) ?? [];
  }

  /** Where clients reach a gateway. */
  portOf(gateway: Gateway): number {
    return this.#balancers.get(gateway)!.port;
  }

  /** Takes in one that runs already, and gives the port of the balancer. */
  async adopt(service: Service, port = 0): Promise<number> {
    this.#count(service);
    this.#replicas.set(service, [{ service, name: service, port }]);
    if (!isGateway(service)) return 0;
    const balancer = await startTcpProxy(port);
    this.#balancers.set(service, balancer);
    return balancer.port;
  }

  /** Resolves when the replica is ready, and its balancer knows. */
  async add(service: Service): Promise<Replica> {
    const count = this.#count(service);
    const name = (count === 1 ? service : `${service}-${count}`) as ServiceName;
    const replica = { service, name, port: isGateway(service) ? await freePort() : 0 };
    await this.#services().start([name], isGateway(service) ? { PORT: String(replica.port) } : {});
    this.#replicas.set(service, [...this.replicasOf(service), replica]);
    if (isGateway(service) && !this.#balancers.has(service))
      this.#balancers.set(service, await startTcpProxy(replica.port));
    this.#aim(service);
    return replica;
  }

  /** SIGTERM; its balancer notices a little later. Resolves with what it ended with. */
  async retire(replica: Replica): Promise<number | 'killed' | null> {
    const { name } = replica;
    const exited = this.#services().waitExit(name);
    this.#services().signal(name, 'SIGTERM');
    const noticed = setTimeout(() => this.#forget(replica), NOTICED_AFTER_MS);
    let late: NodeJS.Timeout | undefined;
    const killed = new Promise<'killed'>((resolve) => (late = setTimeout(resolve, GRACE_MS, 'killed')));
    const outcome = await Promise.race([exited, killed]);
    clearTimeout(noticed);
    clearTimeout(late);
    this.#forget(replica);
    if (outcome === 'killed') await this.#services().kill(name);
    return outcome;
  }

  /** SIGKILL. Resolves when another one in its place is ready. */
  async kill(replica: Replica): Promise<void> {
    await this.#services().kill(replica.name);
    this.#forget(replica);
    await this.add(replica.service);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#balancers.values()].map((balancer) => balancer.stop()));
  }

  #count(service: Service): number {
    const count = (this.#counts.get(service) ?? 0) + 1;
    this.#counts.set(service, count);
    return count;
  }

  #forget(replica: Replica): void {
    const { service } = replica;
    this.#replicas.set(
      service,
      this.replicasOf(service).filter((one) => one !== replica),
    );
    this.#aim(service);
  }

  #aim(service: Service): void {
    if (isGateway(service))
      this.#balancers.get(service)?.setTargets(this.replicasOf(service).map(({ port }) => port));
  }
}
