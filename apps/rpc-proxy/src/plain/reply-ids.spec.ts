process.env.RPC_HTTP = 'plain';
await import('../reply-ids.spec.ts');
