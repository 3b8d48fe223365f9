/** Resource in a test event, as the API returns it (docs-site/openapi.yaml); JSON text. */
export function testEventData(type: string): string {
  return JSON.stringify(type.startsWith('order.') ? orderOf(type) : businessOf(type));
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
