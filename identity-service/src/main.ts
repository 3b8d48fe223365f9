import { readConfig } from '@platform/service-kit/config/config.ts';
import { runService } from '@platform/service-kit/process/run-service.ts';
import { configSchema } from './config.ts';
import { startService } from './service.ts';

await runService(() => startService(readConfig(configSchema, process.env)));
