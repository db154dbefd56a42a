import { loadConfig, serviceConfig } from '@chainwatch/config';

export const config = loadConfig(serviceConfig.pick({ PORT: true, HEALTH_PORT: true }));
