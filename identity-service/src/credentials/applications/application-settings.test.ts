import { describe, expect, test } from '@jest/globals';
import { apiScopes } from '../../../testing/api-scopes.ts';
import { checkSettings, checkUpdate, type RequestedSettings } from './settings.ts';

const settings: RequestedSettings = {
  name: 'Shop',
  description: 'Sends orders out',
  redirectUris: ['https://shop.example/callback'],
  scopes: ['orders:read', 'business:read'],
  ipWhitelist: ['::ffff:192.0.2.1'],
  webhooksEnabled: true,
  webhookEvents: ['order.paid', 'order.created'],
  allowedOrigins: ['https://till.shop.example', 'http://localhost:3000'],
  repeatLostRefresh: false,
};

const refused = (reason: string) => expect.objectContaining({ kind: 'invalid_argument', reason });

describe('settings', () => {
  test('are kept normalised and sorted', () => {
    expect(checkSettings(apiScopes, settings)).toEqual({
      ...settings,
      scopes: ['business:read', 'orders:read'],
      ipWhitelist: ['192.0.2.1'],
      webhookEvents: ['order.created', 'order.paid'],
    });
  });

  test.each([
    ['an empty name', { name: ' ' }, 'invalid_name'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'invalid_name'],
    ['a name with a line end', { name: 'Shop\nX' }, 'invalid_name'],
    ['a name that turns text around', { name: 'Shop \u202Eknab' }, 'invalid_name'],
    ['an empty description', { description: '' }, 'invalid_description'],
    ['a description of 501 characters', { description: 'x'.repeat(501) }, 'invalid_description'],
    ['a description with NUL', { description: 'x\0' }, 'invalid_description'],
    ['no redirect URI', { redirectUris: [] }, 'invalid_redirect_uri'],
    ['no scopes', { scopes: [] }, 'scopes_required'],
    ['an unknown scope', { scopes: ['orders:read', 'admin'] }, 'unknown_scope'],
    ['a scope twice', { scopes: ['orders:read', 'orders:read'] }, 'duplicate_scope'],
    ['no address', { ipWhitelist: [] }, 'invalid_ip_whitelist'],
    ['an unknown event', { webhookEvents: ['order.lost'] }, 'unknown_webhook_event'],
    ['an event twice', { webhookEvents: ['order.paid', 'order.paid'] }, 'duplicate_webhook_event'],
    ['an origin with a path', { allowedOrigins: ['https://shop.example/'] }, 'invalid_allowed_origin'],
  ])('with %s are refused', (_, invalid, reason) => {
    expect(() => checkSettings(apiScopes, { ...settings, ...invalid })).toThrow(refused(reason));
  });

  test('may have a name of 100 characters, however many units they take', () => {
    const name = '🛒'.repeat(100);
    expect(checkSettings(apiScopes, { ...settings, name }).name).toBe(name);
  });

  test('may have events of any kind that business-service records, or none', () => {
    expect(checkSettings(apiScopes, { ...settings, webhookEvents: [] }).webhookEvents).toEqual([]);
    expect(
      checkSettings(apiScopes, { ...settings, webhookEvents: ['business.verified'] }).webhookEvents,
    ).toHaveLength(1);
  });
});

describe('an update', () => {
  const before = checkSettings(apiScopes, settings);

  test('changes what it names and keeps the rest', () => {
    const { change, touchesAccess } = checkUpdate(apiScopes, before, {
      name: ' New ',
      description: undefined,
    });
    expect(change).toEqual({ name: 'New' });
    expect(touchesAccess).toBe(false);
  });

  test.each([
    ['scopes', { scopes: ['orders:read'] }],
    ['scopes as they are', { scopes: before.scopes }],
    ['whitelist', { ipWhitelist: ['192.0.2.0/24'] }],
    ['allowed origins', { allowedOrigins: [] }],
  ])('that names %s touches access', (_, update) => {
    expect(checkUpdate(apiScopes, before, update).touchesAccess).toBe(true);
  });

  test('without any change is refused', () => {
    expect(() => checkUpdate(apiScopes, before, { name: undefined })).toThrow(refused('empty_update'));
  });

  test('is validated only in the fields that it contains, since the others may be older than a rule', () => {
    expect(checkUpdate(apiScopes, before, { ipWhitelist: ['192.0.2.1'] }).change).toEqual({
      ipWhitelist: ['192.0.2.1'],
    });
  });

  test('may keep a scope that the API has no longer, and adds none.', () => {
    const older = { scopes: ['invoices:read', 'orders:read'] };
    expect(checkUpdate(apiScopes, older, { scopes: ['invoices:read'] }).change).toEqual({
      scopes: ['invoices:read'],
    });
    expect(() => checkUpdate(apiScopes, older, { scopes: ['invoices:write'] })).toThrow(
      refused('unknown_scope'),
    );
  });

  test('is checked like new settings', () => {
    expect(() => checkUpdate(apiScopes, before, { ipWhitelist: [] })).toThrow(
      refused('invalid_ip_whitelist'),
    );
  });
});
