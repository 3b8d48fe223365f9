import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/**
 * Puts src/colour-scheme.js into the page as a script of its own that runs before anything is painted: a module would
 * come too late, an inline script is what the page's policy forbids.
 */
function colourSchemeScript(): Plugin {
  let reference = '';
  return {
    name: 'colour-scheme-script',
    apply: 'build',
    buildStart() {
      const source = readFileSync(new URL('src/colour-scheme.js', import.meta.url), 'utf8');
      reference = this.emitFile({ type: 'asset', name: 'colour-scheme.js', source });
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const file = Object.values(bundle ?? {}).find(
          (output) => output.type === 'asset' && output.names.includes('colour-scheme.js'),
        );
        if (file === undefined) throw new Error(`the colour scheme's script was not emitted: ${reference}`);
        return [{ tag: 'script', attrs: { src: `/dashboard/${file.fileName}` }, injectTo: 'head-prepend' }];
      },
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react(), colourSchemeScript()],
  build: {
    target: 'es2022',
    // A data: address would need a wider policy.
    assetsInlineLimit: 0,
    manifest: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // What everything stands on. Without these groups it may come with some page that happens to be its only user.
          groups: [
            { name: 'usage', test: /usage-chart\/(fills|usage)\.ts/ },
            {
              name: 'framework',
              test: /node_modules\/(react|react-dom|scheduler|@mantine\/(core\/esm\/core|hooks|store))\//,
            },
            // What half of the pages share: else it comes in dozens of small files, six at a time.
            { name: 'common', minShareCount: 7 },
          ],
        },
      },
    },
    // The budget is on what is transferred: build/first-load.ts.
    chunkSizeWarningLimit: 2_000,
  },
  logLevel: 'warn',
});
