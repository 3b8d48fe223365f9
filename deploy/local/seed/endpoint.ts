import { maskOf } from '@platform/protos/field-mask';
import { endpointService } from '@platform/protos/webhook';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { updateApplication } from '../../../identity-service/src/credentials/applications/operations.ts';
import { actor, call, type DemoApplication, grpcOptions, type SeedContext } from './context.ts';

const description = 'The demo application of npm start';

const events = ['order.created', 'order.updated', 'order.paid', 'order.fulfilled', 'order.cancelled'];

/**
 * The endpoint of the demo application, at its port of this start; resolves to its secret. Webhooks are
 * switched on when the endpoint is made; what is chosen later in the dashboard stays.
 */
export async function ensureDemoEndpoint(
  { acts, webhookGrpcTarget }: SeedContext,
  businessId: number,
  { clientId, redirectUri }: DemoApplication,
): Promise<string> {
  const webhook = createGrpcClient(endpointService, grpcOptions(webhookGrpcTarget));
  try {
    const applications = await acts.applications.list(businessId);
    const applicationId = applications.find((application) => application.clientId === clientId)?.id;
    if (applicationId === undefined) throw new Error('identity-service has no demo application.');
    const owner = { businessId, applicationId };
    const url = new URL('/webhooks', redirectUri).href;
    const { endpoints } = await webhook.rpc.ListEndpoints({ owner }, call);
    const known = endpoints.find((endpoint) => endpoint.description === description);
    if (known === undefined) {
      const update = { webhooksEnabled: true, webhookEvents: events };
      await updateApplication(acts, { actor, ...owner, update });
      const request = { owner, url, description, events: [] };
      return (await webhook.rpc.CreateEndpoint(request, call)).secret;
    }
    const reference = { owner, endpointId: known.id };
    if (known.url !== url) {
      const change = { url, description: '', events: [], updateMask: maskOf({ url }) };
      await webhook.rpc.UpdateEndpoint({ ...reference, ...change }, call);
    }
    return (await webhook.rpc.RevealSecret(reference, call)).secret;
  } finally {
    webhook.close();
  }
}
