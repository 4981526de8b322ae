import { pathToFileURL } from 'node:url'
import { compileMessage } from '@lingui/message-utils/compileMessage'
import { defineConfig, type Plugin } from 'vite'
import { messageParts } from './message-parts.ts'

/** Messages are ICU text in the sources and parsed at build time, so that no parser reaches the browser. `?` names a part of them. */
const compileMessages: Plugin = {
  name: 'compile-messages',
  async load(id) {
    const [, file, language = '', part = ''] = /^(.*\/messages\/(en|ru)\.ts)\?([\w-]+)$/.exec(id) ?? []
    const isOfPart = messageParts[part]
    if (file === undefined || isOfPart === undefined) return null
    const module = (await import(pathToFileURL(file).href)) as Readonly<Record<string, Record<string, string>>>
    const compiled = Object.entries(module[language] ?? {})
      .filter(([key]) => isOfPart(key))
      .map(([key, text]) => [key, compileMessage(text)])
    return `export const ${language} = ${JSON.stringify(Object.fromEntries(compiled))}`
  },
}

export default defineConfig({
  // The server makes these addresses absolute: the page stands at many paths.
  base: './',
  plugins: [compileMessages],
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    target: 'es2024',
    // data: addresses would break the policy, and each file is cached by its own name.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    chunkSizeWarningLimit: 400,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // One file for all that the page needs at once, and one for all that follows when somebody is signed in: many small ones are
          // larger together, and each is parsed and compiled by itself.
          groups: [
            { name: 'start', tags: ['$initial'], priority: 1 },
            { name: 'app', test: /\/src\/app\.tsx$/ },
          ],
        },
      },
      onLog: (level, log, report) => {
        // Libraries mark modules for servers that render React; there is none here.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log)
      },
    },
  },
})
