import { spawn } from 'node:child_process';
import { type ServiceName, serviceCommand } from '../../deploy/local/process/service.ts';

/** How a service ended that was started with exactly these variables, and all that it wrote; ended after ten seconds. */
export function startToEnd(
  service: ServiceName,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const { command, args } = serviceCommand(service);
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

/** Variables that an output reports as invalid, in alphabetical order. */
export function namedVariables(output: string): string[] {
  const names = [...output.matchAll(/^ {2}([A-Z_]+)/gm)].map(([, name = '']) => name);
  return [...new Set(names)].sort();
}
