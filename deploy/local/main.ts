// `npm start`: the whole platform on this machine, with its own PostgreSQL, demo data and a first request to paste.
// `npm run dev` (--watch): the same, and restarts services whose source files change.
// `-- --with <folder>`: with the documents of its api/ in the API, and its main.ts running behind the gateway.
import { parseArgs } from 'node:util';
import { ConfigError } from '@platform/service-kit/config/config.ts';
import '@platform/service-kit/process/no-proxy.ts';
import { readSettings, StartError } from './settings.ts';
import { startLocal } from './start.ts';
import { createSupervisor } from './supervisor.ts';

const supervisor = createSupervisor((text) => process.stdout.write(text));
// Continues if the reader of the output goes away, as in `npm start | head`.
process.stdout.on('error', () => undefined);

try {
  const { values } = parseArgs({ options: { watch: { type: 'boolean' }, with: { type: 'string' } } });
  const settings = readSettings(process.env, values);
  supervisor.say(`Starting the Business API platform in ${settings.directoryName}\n`);
  await startLocal(settings, supervisor);
} catch (error) {
  const expected = error instanceof StartError || error instanceof ConfigError;
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(expected ? `${text}\n` : `The platform did not start: ${text}\n`);
  await supervisor.end(1);
}
