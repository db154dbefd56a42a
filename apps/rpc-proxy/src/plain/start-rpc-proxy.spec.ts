process.env.RPC_HTTP = 'plain';
// Specs of one worker share its environment.
afterAll(() => void delete process.env.RPC_HTTP);
await import('../start-rpc-proxy.spec.ts');
