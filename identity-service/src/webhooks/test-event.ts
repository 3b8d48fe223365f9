/** Resource in a test event, as the catalogue describes it (api/platform.yaml); JSON text. */
export function testEventData(type: string): string {
  return JSON.stringify(resourceOf(type));
}

function resourceOf(type: string) {
  if (type.startsWith('order.')) return orderOf(type);
  if (type.startsWith('application.')) return connectionOf(type);
  return type.startsWith('api_key.') ? apiKeyOf(type) : businessOf(type);
}

const createdAt = '2026-11-20T09:30:00.000Z';

const changedAt = '2026-11-20T09:45:00.000Z';

const orderStatuses: Readonly<Record<string, string>> = {
  'order.paid': 'paid',
  'order.fulfilled': 'fulfilled',
  'order.cancelled': 'cancelled',
};

function orderOf(type: string) {
  const status = orderStatuses[type] ?? 'pending';
  const at = (isReached: boolean) => (isReached ? changedAt : null);
  return {
    id: 'ord_00000000000000000000',
    number: 1001,
    status,
    currency: 'EUR',
    line_items: [{ name: 'Test item', sku: 'TEST-1', quantity: 2, unit_amount: 450 }],
    total: 900,
    customer: { name: 'Test customer', email: 'customer@example.com' },
    metadata: type === 'order.updated' ? { note: 'changed' } : {},
    created_at: createdAt,
    updated_at: type === 'order.created' ? createdAt : changedAt,
    paid_at: at(status === 'paid' || status === 'fulfilled'),
    fulfilled_at: at(status === 'fulfilled'),
    cancelled_at: at(status === 'cancelled'),
  };
}

const verifications: Readonly<Record<string, string>> = {
  'business.verification_submitted': 'pending',
  'business.verification_rejected': 'rejected',
};

function businessOf(type: string) {
  const status = verifications[type] ?? 'verified';
  return {
    id: 1,
    is_banned: type === 'business.banned',
    unique_id: 'biz_00000000000000000000',
    account_holder: 'Test business',
    logo: '',
    username: 'test',
    verification: {
      status,
      submitted_at: createdAt,
      decided_at: status === 'pending' ? null : createdAt,
    },
  };
}

function connectionOf(type: string) {
  const isLive = type === 'application.connected';
  return {
    id: `grt_${'0'.repeat(24)}`,
    application: { id: `apl_${'0'.repeat(24)}`, client_id: `app_${'0'.repeat(32)}`, name: 'Test app' },
    scopes: ['business:read', 'orders:read'],
    connected_at: createdAt,
    disconnected_at: isLive ? null : changedAt,
    reason: isLive ? null : 'disconnected',
  };
}

function apiKeyOf(type: string) {
  return {
    id: `key_${'0'.repeat(24)}`,
    name: 'Test key',
    key_type: 'restricted',
    scopes: ['orders:read'],
    created_at: createdAt,
    expires_at: type === 'api_key.expired' ? changedAt : '2026-12-04T09:45:00.000Z',
  };
}
