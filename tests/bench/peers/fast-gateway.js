// fast-gateway as documented, with the same checks as a middleware.
import gateway from 'fast-gateway';
import { createChecks } from './checks.js';

const [port, upstreamPort] = process.argv.slice(2).map(Number);
const server = gateway({
  routes: [
    {
      prefix: '',
      pathRegex: '/*',
      target: `http://127.0.0.1:${upstreamPort}`,
      middlewares: [await createChecks()],
    },
  ],
  enableServicesEndpoint: false,
});
await server.start(port, '127.0.0.1');
