import { readConfig } from '@platform/service-kit/config.ts';
import { runService } from '@platform/service-kit/run-service.ts';
import { configSchema } from './config.ts';
import { startService } from './service.ts';

await runService(() => startService(readConfig(configSchema, process.env)));
