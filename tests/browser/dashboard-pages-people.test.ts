import { testPages } from './test-pages.ts';

testPages('webhooks', 'connected', 'insights', 'business', 'join', 'profile', 'sandbox');
