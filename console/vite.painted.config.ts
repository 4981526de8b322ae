import { fileURLToPath } from 'node:url'
import type { InlineConfig } from 'vite'

/** The two parts of lists that the server paints, built after the console itself: their names and styles are those of that build. */

const root = fileURLToPath(new URL('.', import.meta.url))
const source = (path: string): string => fileURLToPath(new URL(`src/${path}`, import.meta.url))

/** Script of the page with a painted list: one file, because each further one would delay the paint. */
export const displayScript: InlineConfig = {
  root,
  configFile: false,
  logLevel: 'warn',
  build: {
    target: 'es2024',
    emptyOutDir: false,
    lib: { entry: source('painted/display-painted-list.ts'), formats: ['es'] },
    rolldownOptions: { output: { entryFileNames: 'assets/painted-list-[hash].js' } },
  },
}

/**
 * What modules of the console use of the browser while they are loaded. They are constants of the built module, so that neither the server
 * nor libraries, which look for `window` and `document`, find a browser.
 */
const browserValues = `
const nothing = () => undefined
const addEventListener = nothing
const localStorage = { getItem: () => null, setItem: nothing, removeItem: nothing }
const matchMedia = () => ({ matches: false, addEventListener: nothing, removeEventListener: nothing })
const BroadcastChannel = class { addEventListener() {} postMessage() {} }
`

/** The components of the console for the server: one file without dependencies. */
export const listRenderer: InlineConfig = {
  root,
  logLevel: 'warn',
  define: { 'process.env.NODE_ENV': '"production"' },
  plugins: [
    {
      name: 'docket-of-caller',
      enforce: 'pre',
      resolveId: (id, from) =>
        id.endsWith('/docket.ts') && from?.includes('/src/server/') === false ? source('server/docket.ts') : null,
    },
    {
      name: 'without-parts-on-demand',
      enforce: 'pre',
      // A list that needs one is not complete, and is left to the browser. The bar of long lists is painted.
      resolveId: (id, _from, { kind }) =>
        kind === 'dynamic-import' && !id.includes('/messages/') && !/^\.\/(en|ru|part-bar)\.tsx?/.test(id)
          ? { id, external: true }
          : null,
    },
  ],
  build: {
    ssr: source('server/paint-list.tsx'),
    emptyOutDir: false,
    minify: true,
    rolldownOptions: {
      output: { entryFileNames: 'server/paint-list.mjs', codeSplitting: false, banner: browserValues },
    },
  },
  ssr: { noExternal: true },
}
