process.env.HTTP = 'plain';
await import('./connection-pool.spec.ts');
