// Configuration of Prisma's command line for one service; `npm run prisma` sets the variables.
import { defineConfig } from 'prisma/config';

const { PRISMA_SERVICE_ROOT: root = '.', DATABASE_URL: url = '' } = process.env;

export default defineConfig({
  schema: `${root}/prisma/schema.prisma`,
  migrations: { path: `${root}/prisma/migrations` },
  datasource: { url },
});
