import { spawnSync } from 'node:child_process';
import { findProgram, installPackages } from '../local/process/install-packages.ts';

/** Programs of Prometheus's package. */
type PrometheusProgram = 'promtool' | 'prometheus';

/**
 * Path of a program of Prometheus: from PROMTOOL or PROMETHEUS, or on the PATH; otherwise it is installed.
 * @throws with one sentence when that fails
 */
export function requirePrometheus(program: PrometheusProgram, environment: NodeJS.ProcessEnv): string {
  const variable = program.toUpperCase();
  const find = () => findProgram(environment[variable], [program], environment);
  const found = find();
  if (found !== undefined) return found;
  const error = installPackages({
    'apt-get': ['prometheus'],
    apk: ['prometheus'],
    pacman: ['prometheus'],
    brew: ['prometheus'],
  });
  const installed = find();
  if (installed !== undefined) return installed;
  const why = error ?? 'the package brought none';
  throw new Error(
    `The tests of alarms need ${program}, and ${why}: install Prometheus by hand, or name it in ${variable}.`,
  );
}

/** Runs promtool; resolves to what it printed, and whether it found nothing wrong. */
export function runPromtool(promtool: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(promtool, args, { encoding: 'utf8' });
  return { ok: status === 0, output: `${stdout}${stderr}` };
}
