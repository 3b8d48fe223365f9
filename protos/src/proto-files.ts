/** Every .proto file of the platform, relative to the package root. */
export const protoFiles = [
  'identity/v1/authorization.proto',
  'identity/v1/canary.proto',
  'identity/v1/usage.proto',
  'identity/v1/origin.proto',
  'identity/v1/webhook.proto',
  'business/v1/business.proto',
  'business/v1/customer.proto',
  'business/v1/event.proto',
  'business/v1/sandbox.proto',
  'webhook/v1/endpoint.proto',
  'webhook/v1/delivery.proto',
  'webhook/v1/receiver_check.proto',
];
