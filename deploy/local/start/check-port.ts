import { createServer } from 'node:net';
import { StartError } from './start-error.ts';

/** @throws StartError when the address cannot be listened on */
export async function checkPort(host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject).listen(port, host, resolve);
    });
  } catch (cause) {
    throw new StartError(explain(host, port, cause), { cause });
  }
  await new Promise<void>((resolve) => probe.close(() => resolve()));
}

function explain(host: string, port: number, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const other = `PORT=${port === 8080 ? 8081 : 8080} npm start`;
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use: stop what listens there, or take another: ${other}`;
  if (code === 'EACCES') return `Port ${port} needs more rights than this user has: take another: ${other}`;
  return `${host}:${port} cannot be listened on (${code ?? cause}): check HTTP_HOST and PORT.`;
}
