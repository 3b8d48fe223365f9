import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ClientPlatform } from '../harness/client-platform.ts';

/** Milliseconds that a script may take: on a busy machine Python alone needs ten seconds to start. */
const timeoutMs = 120_000;

/**
 * Runs a script beside this file, which plays an application; see conversation.py.
 * @param settings values of the platform that it needs
 * @throws with what it wrote to standard error when it fails
 */
export async function runScript(
  script: string,
  args: readonly string[],
  settings: Readonly<Record<string, unknown>>,
  visit: ClientPlatform['visit'],
): Promise<void> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  // -B: nothing of it stays behind.
  const child = spawn(process.env.PYTHON ?? 'python3', ['-B', path, ...args], { timeout: timeoutMs });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  child.stdin.write(`${JSON.stringify(settings)}\n`);
  for await (const line of createInterface(child.stdout)) {
    const [decision, url = ''] = line.split(' ');
    const callback = await visit(url, decision === 'deny' ? 'deny' : 'approve');
    child.stdin.write(`${callback}\n`);
  }
  const code = await ended;
  if (code !== 0) throw new Error(`${script} ${args.join(' ')} ended with ${code}:\n${errors}`);
}
