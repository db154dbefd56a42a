process.env.HTTP = 'plain';
// Specs of one worker share its environment.
afterAll(() => void delete process.env.HTTP);
await import('./connection-pool.spec.ts');
