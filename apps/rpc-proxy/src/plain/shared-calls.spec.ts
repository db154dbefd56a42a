process.env.RPC_HTTP = 'plain';
await import('../shared-calls.spec.ts');
