import { fileURLToPath } from 'node:url';

/** Our services, in the order in which they start. */
export const serviceNames = ['business-service', 'identity-service', 'gateway'] as const;
export type ServiceName = (typeof serviceNames)[number];

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A larger nursery for the process that every request passes: fewer scavenges, lower p99. */
const nodeFlags: Readonly<Record<ServiceName, readonly string[]>> = {
  'business-service': [],
  'identity-service': [],
  gateway: ['--max-semi-space-size=64'],
};

/** How a service is run: Node runs its TypeScript as it is. */
export function serviceCommand(service: ServiceName): { command: string; args: string[] } {
  const args = [
    ...nodeFlags[service],
    '--disable-warning=ExperimentalWarning',
    `${root}${service}/src/main.ts`,
  ];
  return { command: process.execPath, args };
}
