import { runService } from '@platform/service-kit/process/run-service.ts';
import { parseConfig } from './config.ts';
import { startService } from './service.ts';

await runService(async () => startService(parseConfig(process.env)));
