process.env.RPC_HTTP = 'plain';
await import('../traps.spec.ts');
