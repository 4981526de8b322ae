import { createRequire } from 'node:module'
import type * as htmlparser from 'htmlparser2'
import type sanitizeHtml from 'sanitize-html'

/**
 * The libraries for HTML are loaded when the first text with markup is read or written. With what they import they are 75 modules,
 * and most starts need none of them. Both calls are synchronous, as the functions that use them are; Node keeps what it has loaded.
 */
const load = createRequire(import.meta.url)

export const loadSanitizer = (): typeof sanitizeHtml => load('sanitize-html')

export const loadParser = (): typeof htmlparser.Parser => (load('htmlparser2') as typeof htmlparser).Parser
