import cluster from 'node:cluster';
import { readConfig } from '@platform/service-kit/config/config.ts';
import { runService } from '@platform/service-kit/process/run-service.ts';
import { gatewayConfig } from './config.ts';
import { startGateway } from './service.ts';
import { placeVariable, startWorkers, workerCount } from './workers.ts';

await runService(() => {
  const config = readConfig(gatewayConfig, process.env);
  if (cluster.isWorker) {
    // Passed on to every worker, also to one that has no certificate to read.
    process.on('SIGHUP', () => undefined);
    return startGateway(config, process.env[placeVariable]);
  }
  return workerCount(config) === 1 ? startGateway(config) : startWorkers(config);
});
