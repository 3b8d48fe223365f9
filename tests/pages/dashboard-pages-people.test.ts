import { testPages } from './test-pages.ts';

testPages('connected', 'insights', 'business', 'join', 'profile');
