process.env.RPC_HTTP = 'plain';
await import('../key-places.spec.ts');
