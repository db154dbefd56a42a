import { InterfaceStack } from './interface-stack.ts';
import { runFuzz } from './fuzz/run-fuzz.ts';

const FUZZ_REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 2_000);
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

describe('the running stack', () => {
  const stack = new InterfaceStack();
  beforeAll(() => stack.start());
  afterAll(() => stack.stop());

  it(`answers ${FUZZ_REQUESTS} hostile requests over the OpenAPI document with nothing but what it says`, async () => {
    const startedAt = Date.now();
    const { sent, statuses, faults } = await runFuzz(stack, { count: FUZZ_REQUESTS, seed: SEED });
    console.log(`seed ${SEED}: ${sent} requests in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s, ${JSON.stringify(statuses)}`);
    expect(faults).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(FUZZ_REQUESTS);
    // Neither all refused at the door, nor all let through.
    for (const status of [200, 201, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422]) expect(statuses[status]).toBeGreaterThan(0);
  }, 1_800_000);
});
