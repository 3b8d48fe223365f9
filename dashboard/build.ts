// npm run build: builds the dashboard if its sources have changed.
import { ensureBuilt } from './build/ensure-built.ts';

const { built, firstLoad } = ensureBuilt();
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
process.stdout.write(
  `${built ? 'The dashboard is built' : 'The dashboard is up to date'}. Script of the first load: ` +
    `${kilobytes(firstLoad.brotli)} by Brotli, ${kilobytes(firstLoad.gzip)} by gzip.\n`,
);
