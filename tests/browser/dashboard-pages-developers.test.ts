import { testPages } from './test-pages.ts';

testPages('pages', 'keys', 'apps');
