// Builds one HTML file: scripts and styles inside, nothing loaded from anywhere, and a content security policy that
// lets only these very scripts and styles run. Also writes the page as C++ for the library.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Licences of what is inside, as they ask for. */
function notices() {
  return ['three', 'uplot']
    .map((name) => `${name}\n${readFileSync(new URL(`node_modules/${name}/LICENSE`, import.meta.url), 'utf8').trim()}`)
    .join('\n\n');
}

/** Pieces of raw string literals; compilers dislike long ones. */
function asCpp(page) {
  const pieces = page.match(/[^]{1,8000}/gu).map((piece) => `    R"gough~(${piece})gough~"sv,\n`);
  return `// Made from viewer/ by the build.
#include "page.hpp"

namespace gough::io {

using namespace std::string_view_literals;
static constexpr std::string_view parts[] = {
${pieces.join('')}};
std::span<const std::string_view> page_parts() { return parts; }

}  // namespace gough::io
`;
}

function onePage() {
  return {
    name: 'one-page',
    enforce: 'post',
    generateBundle(_, bundle) {
      const files = Object.values(bundle);
      const html = files.find((f) => f.fileName.endsWith('.html'));
      const script = files.find((f) => f.type === 'chunk').code.trim().replaceAll('</script', '<\\/script');
      const style = files.find((f) => f.fileName.endsWith('.css')).source.trim();
      const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data: blob:; base-uri 'none'; form-action 'none'`;
      const page = html.source
        .replace(/\s*<script type="module"[^>]*><\/script>/, '')
        .replace(/\s*<link rel="stylesheet"[^>]*>/, '')
        .replace('<!--policy-->', () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
        .replace('<!--notices-->', () => `<!--\n${notices()}\n-->`)
        .replace('<!--style-->', () => `<style>${style}</style>`)
        .replace('<!--script-->', () => `<script type="module">${script}</script>`);
      for (const file of files) delete bundle[file.fileName];
      this.emitFile({ type: 'asset', fileName: 'report.html', source: page });
      this.emitFile({ type: 'asset', fileName: 'page.cpp', source: asCpp(page) });
    },
  };
}

export default defineConfig({
  root: new URL('.', import.meta.url).pathname,
  logLevel: 'warn',
  build: {
    outDir: process.env.GOUGH_PAGE_DIR ?? '../build/viewer',
    emptyOutDir: false,
    target: 'es2020',
    assetsInlineLimit: 1e9,
    cssCodeSplit: false,
    modulePreload: false,
    chunkSizeWarningLimit: 2000,
    rollupOptions: { input: 'index.html', output: { inlineDynamicImports: true } },
  },
  plugins: [onePage()],
});
