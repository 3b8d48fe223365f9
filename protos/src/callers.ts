/** Names in certificates that may call a service; the row of a method stands in place of that of its service. */
export const callers: Readonly<Record<string, readonly string[]>> = {
  'identity.v1.AuthorizationService': ['gateway'],
  'identity.v1.OriginService': ['gateway'],
  'identity.v1.UsageService': ['gateway'],
  'identity.v1.CanaryKeyService': ['canary'],
  'identity.v1.CanaryReportService': ['canary'],
  'identity.v1.WebhookSubscriptionService': ['webhook-service'],
  'business.v1.BusinessService': ['identity-service'],
  'business.v1.CustomerService': ['webhook-service'],
  'business.v1.CustomerService/EraseCustomer': ['identity-service'],
  'business.v1.EventFeedService': ['webhook-service'],
  'business.v1.EventFeedService/AppendEvents': ['identity-service'],
  'business.v1.EventFeedService/FindAuthor': ['identity-service'],
  'business.v1.SandboxService': ['identity-service'],
  'webhook.v1.EndpointService': ['identity-service'],
  'webhook.v1.DeliveryService': ['identity-service'],
  'webhook.v1.ReceiverCheckService': ['identity-service'],
};
