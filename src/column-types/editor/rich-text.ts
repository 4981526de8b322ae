import type { IOptions } from 'sanitize-html'
import { isNestedTooDeeply } from './html-nesting.ts'
import { loadParser, loadSanitizer } from './load-html-libraries.ts'

/**
 * Text and HTML of a WYSIWYG column (docs/decisions, "Text and HTML in one column"). A value is HTML if it contains markup;
 * everything else is plain text, even with `<` and `&` in it, and is stored and read unchanged.
 */

const elements = (names: string): string => names.trim().split(/\s+/).join('|')

/** Elements that run, load, or hide what follows: one of these makes a text markup, even if unfinished. */
const ACTIVE = elements(`
  applet area audio base body button canvas details dialog embed form frame frameset head html iframe image img
  input isindex link map marquee math meta noembed noframes noscript object option param picture plaintext portal
  script select slot source style svg template textarea title track video xmp`)

/** Elements that only mark text: a well-formed tag of one makes a text markup, `a <b && c>` is text. */
const INERT = elements(`
  a abbr acronym address article aside b bdi bdo big blockquote br caption center cite code col colgroup data dd
  del dfn dir div dl dt em fieldset figcaption figure font footer h[1-6] header hgroup hr i ins kbd label legend
  li main mark menu meter nav ol output p pre progress q rb rp rt rtc ruby s samp search section small span strike
  strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr`)

const ATTRIBUTE = `\\s+[a-z_:][-a-z0-9_:.]*\\s*=\\s*("[^"]*"|'[^']*'|[^\\s"'=<>]+)`

/** PostgreSQL has the same four in docket_system.is_markup (migration 000027). */
const MARKUP: readonly RegExp[] = [
  /<!--|<!doctype|<!\[cdata\[|<\?xml/i,
  new RegExp(`</?(${ACTIVE})([^-a-z0-9_]|$)`, 'i'),
  new RegExp(`</?(${INERT})(${ATTRIBUTE})*\\s*/?>`, 'i'),
  // Any element, even an unknown one, with an event handler, a style or an address.
  /<[a-z].*[^-a-z0-9_](on[a-z]+|action|formaction|href|is|src|srcdoc|srcset|style)\s*=/is,
]

/** Whether a text is HTML. A browser may display any other text as HTML, too, without running anything. */
export function isMarkup(text: string): boolean {
  return text.includes('<') && MARKUP.some((pattern) => pattern.test(text))
}

/** Allowed tags of an editor's text; scripts, event handlers, styles and addresses with other schemes are removed. */
const allowedOptions = (): IOptions => ({
  allowedTags: [...loadSanitizer().defaults.allowedTags, 'img', 'del', 'ins', 'input'],
  allowedAttributes: {
    a: ['href', 'name', 'target', 'rel', 'title'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    input: ['type', 'checked', 'disabled'],
    '*': ['class', 'colspan', 'rowspan', 'dir', 'lang'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'] },
  // Editors do not nest deeper, and deeper nesting is expensive.
  nestingLimit: 200,
})

const keepAllowed = (html: string): string => loadSanitizer()(html, allowedOptions())

/** Sanitised HTML; if no markup is left, its text. */
export function sanitizeMarkup(html: string): string {
  const sanitized = keepAllowed(html)
  if (isMarkup(sanitized)) return sanitized
  const text = textOfMarkup(sanitized)
  // Entities that would decode to markup stay entities.
  return isMarkup(text) ? sanitized : text
}

/** The text of HTML, without tags and with characters instead of entities. */
export function textOfMarkup(html: string): string {
  const texts: string[] = []
  const Parser = loadParser()
  new Parser({ ontext: (text) => texts.push(text) }, { decodeEntities: true }).end(html)
  return texts.join('')
}

const KEEP_ALL: IOptions = {
  allowedTags: false,
  allowedAttributes: false,
  allowVulnerableTags: true,
  nestingLimit: 200,
}

/**
 * Whether a stored text may be displayed as HTML: sanitising changes nothing. A text of a column that was converted to WYSIWYG
 * was never sanitised; if its markup could run, it is displayed as plain text.
 */
export function isSafeMarkup(text: string): boolean {
  return isMarkup(text) && !isNestedTooDeeply(text) && keepAllowed(text) === loadSanitizer()(text, KEEP_ALL)
}
