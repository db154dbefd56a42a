process.env.RPC_HTTP = 'plain';
await import('../start-rpc-proxy.spec.ts');
