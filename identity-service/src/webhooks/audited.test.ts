import { expect, jest, test } from '@jest/globals';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { WebhookClient } from '../clients/webhook.ts';
import { resendDelivery } from './audited.ts';

const owner = { businessId: 7, applicationId: '' };

test('no delivery is resent when its endpoint cannot be read for the audit event', async () => {
  const resent = jest.fn<WebhookClient['resendDelivery']>();
  const client = {
    getDelivery: async () => ({ delivery: { endpointId: 'whe_1' } }),
    getEndpoint: async () => {
      throw new AppError('unavailable', 'grpc_unavailable', 'no response');
    },
    resendDelivery: resent,
  } as unknown as WebhookClient;
  const actor = { kind: 'person', id: 'per_1', clientIp: undefined, requestId: 'req_1' } as const;
  const audit = jest.fn<() => Promise<void>>();
  const resending = resendDelivery({ client, audit }, { actor, owner, deliveryId: 'dlv_1' });
  await expect(resending).rejects.toMatchObject({ kind: 'unavailable' });
  expect(resent).not.toHaveBeenCalled();
});
