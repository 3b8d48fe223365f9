import { readConfig } from '@platform/service-kit/config.ts';
import { runService } from '@platform/service-kit/run-service.ts';
import { gatewayConfig } from './config.ts';
import { startGateway } from './service.ts';

await runService(() => startGateway(readConfig(gatewayConfig, process.env)));
