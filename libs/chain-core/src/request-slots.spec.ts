import { RequestSlots } from './request-slots.ts';

describe('RequestSlots', () => {
  it('serves who waits in order, the patient after all others', async () => {
    const slots = new RequestSlots(1);
    const begun: string[] = [];
    let end!: () => void;
    const run = (name: string, isPatient: boolean): Promise<void> =>
      slots.run(
        undefined,
        () => (begun.push(name), new Promise<void>((resolve) => (end = resolve))),
        isPatient,
      );
    expect(slots.isBusy).toBe(false);
    const runs = [
      run('first', true),
      run('patient 1', true),
      run('patient 2', true),
      run('other 1', false),
      run('other 2', false),
    ];
    expect(slots.isBusy).toBe(true);
    for (const served of [0, 3, 4, 1]) {
      end();
      await runs[served];
    }
    end();
    await Promise.all(runs);
    expect(begun).toEqual(['first', 'other 1', 'other 2', 'patient 1', 'patient 2']);
    expect(slots.isBusy).toBe(false);
  });

  it('forgets the patient one that is called off', async () => {
    const slots = new RequestSlots(1);
    const abort = new AbortController();
    let end!: () => void;
    const first = slots.run(undefined, () => new Promise<void>((resolve) => (end = resolve)));
    const waiting = slots.run(abort.signal, () => Promise.reject(new Error('was served')), true);
    abort.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('aborted before it was sent');
    end();
    await first;
    expect(await slots.run(undefined, () => Promise.resolve('served'), true)).toBe('served');
  });
});
