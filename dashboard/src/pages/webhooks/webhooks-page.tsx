import { PageHeader } from '../../shell/page-header.tsx';
import { WebhookPanels } from './webhook-panels.tsx';

/** Endpoints of the business itself, for businesses that only use API keys. */
export default function WebhooksPage() {
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Your server receives the events of this business. An app has endpoints of its own, on its page."
      />
      <WebhookPanels applicationId={undefined} allEvents="All events of this business." />
    </>
  );
}
