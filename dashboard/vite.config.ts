import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/**
 * Adds src/colour-scheme.js to the page as a blocking script that runs before the first paint. A module would run too
 * late, and the page's Content Security Policy forbids inline scripts.
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
        if (file === undefined) throw new Error(`colour-scheme.js was not emitted: ${reference}`);
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
    // data: URLs are not allowed by the Content Security Policy.
    assetsInlineLimit: 0,
    manifest: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Without these groups, shared modules may end up in the chunk of a page.
          groups: [
            { name: 'usage', test: /usage-chart\/(fills|usage)\.ts/ },
            {
              name: 'framework',
              test: /node_modules\/(react|react-dom|scheduler|@mantine\/(core\/esm\/core|hooks|store))\//,
            },
            // Modules that most pages share, instead of dozens of small chunks.
            { name: 'common', minShareCount: 12 },
          ],
        },
      },
    },
    // build/first-load.ts has the budget, in compressed bytes.
    chunkSizeWarningLimit: 2_000,
  },
  logLevel: 'warn',
});
