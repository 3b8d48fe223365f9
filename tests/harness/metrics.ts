import { request } from './http-request.ts';
import type { TestService } from './service.ts';

/** What a service says of itself to Prometheus. */
export async function metricsOf(service: TestService | undefined): Promise<string> {
  return (await request(service?.ports.ops ?? 0, 'GET', '/metrics')).text;
}

/** Authorize calls that an identity-service has answered. */
export async function authorizationsOf(identity: TestService | undefined): Promise<number> {
  const counts = (await metricsOf(identity)).matchAll(
    /^identity_authorize_duration_seconds_count\S* (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
