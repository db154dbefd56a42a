process.env.RPC_HTTP = 'plain';
await import('../wire/node-pool.spec.ts');
