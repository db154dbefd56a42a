import { ok, runService, startHealthServer, startTelemetry } from '@chainwatch/telemetry';
import { config } from './config.ts';
import { startRpcProxy } from './start-rpc-proxy.ts';

const name = 'rpc-proxy';

await runService({
  name,
  start: async () => {
    const telemetry = await startTelemetry({ serviceName: name });
    const proxy = await startRpcProxy({ port: config.PORT });
    const health = await startHealthServer({ port: config.HEALTH_PORT, checks: () => ({ http: ok }), metrics: telemetry.handleMetrics });
    return {
      stop: async () => {
        await Promise.all([proxy.close(), health.stop()]);
        await telemetry.stop();
      },
    };
  },
});
