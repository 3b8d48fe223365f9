/** Processes through which operators act: the administration runs beside identity-service, with its certificate or its own. */
export const operators: readonly string[] = ['identity-service', 'admin'];

/** Names in certificates that may call a service; the row of a method stands in place of that of its service. */
export const callers: Readonly<Record<string, readonly string[]>> = {
  'identity.v1.AuthorizationService': ['gateway'],
  'identity.v1.OriginService': ['gateway'],
  'identity.v1.UsageService': ['gateway'],
  'identity.v1.ApiKeyService': operators,
  'identity.v1.ApiKeyService/CreateApiKey': [...operators, 'canary'],
  'identity.v1.ApiKeyService/ListApiKeys': [...operators, 'canary'],
  'identity.v1.ApiKeyService/RotateApiKey': [...operators, 'canary'],
  'identity.v1.ApiKeyService/SetApiKeyLimit': [...operators, 'canary'],
  'identity.v1.ApplicationService': operators,
  'identity.v1.GrantService': operators,
  'identity.v1.BusinessAccountService': operators,
  'identity.v1.LimitRequestService': operators,
  'identity.v1.OperatorService': operators,
  'identity.v1.PersonService': operators,
  'identity.v1.WebhookEndpointService': operators,
  'identity.v1.WebhookSubscriptionService': ['webhook-service'],
  'business.v1.BusinessService': operators,
  'business.v1.EventFeedService': ['webhook-service'],
  'business.v1.EventFeedService/AppendEvents': ['identity-service'],
  'webhook.v1.EndpointService': ['identity-service'],
  'webhook.v1.EndpointService/ListEndpoints': operators,
  'webhook.v1.EndpointService/GetEndpoint': operators,
  'webhook.v1.DeliveryService': ['identity-service'],
  'webhook.v1.DeliveryService/ListDeliveries': operators,
  'webhook.v1.ReceiverCheckService': ['identity-service'],
};
