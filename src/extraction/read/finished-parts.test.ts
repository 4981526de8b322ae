import fc from 'fast-check'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { expect, test } from 'vitest'
import { parseHtmlTree } from './html-tree.ts'
import { visitHtml } from './visit-html.ts'

/** What a reader is told of a page, neighbouring texts joined. */
function createLog() {
  const events: string[] = []
  return {
    events,
    open: (tag: string, attribute: (name: string) => string | undefined) =>
      void events.push(`<${tag} ${attribute('hidden')} ${attribute('lang')}`),
    close: (tag: string) => void events.push(`>${tag}`),
    text(text: string) {
      const last = events.at(-1)
      if (last?.startsWith('"') === true) events[events.length - 1] = last + text
      else events.push(`"${text}`)
    },
  }
}

type Log = ReturnType<typeof createLog>

function eventsOf(page: string, after: 'kept' | 'released'): string[] {
  const log = createLog()
  visitHtml(parseHtmlTree(page), log, after)
  return log.events
}

/** The same by the library's own tree, which keeps an object for each element and text. */
function referenceEventsOf(page: string): string[] {
  const log = createLog()
  for (const node of parse(page).childNodes) visitReference(node, log)
  return log.events
}

function visitReference(node: DefaultTreeAdapterTypes.ChildNode, log: Log): void {
  if ('value' in node) log.text(node.value)
  else if ('tagName' in node) {
    log.open(node.tagName, (name) => node.attrs.find((attribute) => attribute.name === name)?.value)
    if (node.tagName !== 'script' && node.tagName !== 'style')
      for (const child of node.childNodes) visitReference(child, log)
    log.close(node.tagName)
  }
}

const tags =
  'p div table tr td caption tbody b i a nobr form svg g foreignObject title desc template select option button li ul h1 span script style head body html frameset textarea math mi'.split(
    ' ',
  )
const tag = fc.constantFrom(...tags)
const attribute = fc.constantFrom('', ' hidden', ' lang=de', ' hidden=until-found lang="a=b"')
const piece = fc.oneof(
  fc.tuple(tag, attribute).map(([name, attributes]) => `<${name}${attributes}>`),
  tag.map((name) => `</${name}>`),
  fc.constantFrom('<br>', '<hr hidden>', '<img>', '<input>', '</p>', '</br>', '<!-- c -->'),
  fc.constantFrom('text', ' ', '\n', 'a<b', '&lt;p&gt;', '&#0;', '\0', '"', 'ж'),
)

test("a page is walked as the library's own tree would be (issue 11, 1.1)", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const page = `<!doctype html>${pieces.join('')}`
      const expected = referenceEventsOf(page)
      expect(eventsOf(page, 'kept')).toEqual(expected)
      expect(eventsOf(page, 'released')).toEqual(expected)
    }),
    { numRuns: 2_000 },
  )
})

test('a page of many elements is walked whole (issue 11, 1.1)', () => {
  const page = `<body>${'<p>a<b>b</b></p> '.repeat(10_000)}${'<div>'.repeat(5_000)}deep${'</div>x'.repeat(5_000)}`
  expect(eventsOf(page, 'released')).toEqual(eventsOf(page, 'kept'))
  expect(eventsOf(page, 'kept').filter((event) => event === '<p undefined undefined')).toHaveLength(10_000)
  expect(eventsOf(page, 'kept').filter((event) => event === '>div')).toHaveLength(5_000)
})
