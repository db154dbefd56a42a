process.env.RPC_HTTP = 'plain';
await import('../failing-nodes.spec.ts');
