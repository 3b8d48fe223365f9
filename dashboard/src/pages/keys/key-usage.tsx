import { businessKey } from '../../api/business-key.ts';
import { answerOf, api } from '../../api/client.ts';
import { UsagePanel } from '../../parts/usage-chart/usage-panel.tsx';
import { useBusiness } from '../../shell/business-context.ts';

/** Requests of a key over time. */
export function KeyUsage({ apiKeyId }: { readonly apiKeyId: string }) {
  const { id: businessId } = useBusiness();
  return (
    <UsagePanel
      queryKey={businessKey(businessId, 'api-keys', apiKeyId, 'usage')}
      read={async (query, signal) => {
        const params = { path: { businessId, apiKeyId }, query };
        const call = api.GET('/businesses/{businessId}/api-keys/{apiKeyId}/usage', { params, signal });
        return (await answerOf(call)).hours;
      }}
    />
  );
}
