import { describe, expect, test } from 'vitest'
import { readBytes } from './read-bytes.ts'
import { typedPackage } from './write-office.ts'

const xhtml = 'application/xhtml+xml'

/** A book of the given package file and pages. */
function book(manifest: string, spine: string, pages: Readonly<Record<string, string>>, more = ''): Buffer {
  return typedPackage('application/epub+zip', {
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OPS/package.opf"/></rootfiles></container>',
    'OPS/package.opf': `<package xmlns:dc="d"><metadata><dc:title>The Moon</dc:title></metadata><manifest>${manifest}</manifest><spine>${spine}</spine>${more}</package>`,
    ...Object.fromEntries(
      Object.entries(pages).map(([name, body]) => [
        name,
        `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>${body}</body></html>`,
      ]),
    ),
  })
}

async function blocksOf(bytes: Uint8Array): Promise<unknown> {
  return ((await readBytes(bytes)) as { blocks?: unknown }).blocks
}

describe('a book (issue 11, 1.4)', () => {
  test('with bindings: what stands in for an object of a foreign kind is read', async () => {
    const object =
      '<h1>Phases</h1><object data="gallery.xml" type="application/x-gallery"><h2>New Moon</h2><p>In shadow.</p></object><p>After.</p>'
    const bytes = book(
      `<item id="t" href="text.xhtml" media-type="${xhtml}"/><item id="g" href="gallery.xml" media-type="application/x-gallery"/><item id="impl" href="impl.xhtml" media-type="${xhtml}" properties="scripted"/>`,
      '<itemref idref="t"/>',
      { 'OPS/text.xhtml': object, 'OPS/impl.xhtml': 'the program of the gallery' },
      '<bindings><mediaType handler="impl" media-type="application/x-gallery"/></bindings>',
    )
    expect(await blocksOf(bytes)).toEqual([
      'heading1 Phases',
      'heading2 New Moon',
      'paragraph In shadow.',
      'paragraph After.',
    ])
  })

  test('whose spine names a foreign kind is read in its fallback, once', async () => {
    const bytes = book(
      `<item id="a" href="1.jpg" fallback="b" media-type="image/jpeg"/><item id="b" href="2.pdf" fallback="c" media-type="application/pdf"/><item id="c" href="c.xhtml" media-type="${xhtml}"/><item id="loop" href="3.jpg" fallback="loop" media-type="image/jpeg"/>`,
      '<itemref idref="a"/><itemref idref="b"/><itemref idref="loop"/>',
      { 'OPS/c.xhtml': '<p>Described in words.</p>' },
    )
    expect(await blocksOf(bytes)).toEqual(['paragraph Described in words.'])
  })

  test('with a navigation page among its chapters: its lists are left out, its text is read', async () => {
    const bytes = book(
      `<item id="nav" href="nav.xhtml" properties="nav" media-type="${xhtml}"/><item id="t" href="../text/one.xhtml" media-type="${xhtml}"/>`,
      '<itemref idref="nav"/><itemref idref="t"/>',
      {
        'OPS/nav.xhtml':
          '<p>Printed on chalk.</p><nav><h1>Contents</h1><ol><li><a href="one.xhtml">One</a></li></ol></nav>',
        'text/one.xhtml': '<h1>One</h1><p>Begin.</p>',
      },
    )
    expect(await blocksOf(bytes)).toEqual(['paragraph Printed on chalk.', 'heading1 One', 'paragraph Begin.'])
  })

  test('of FictionBook: its title and language, chapters by their titles, verses and notes, no pictures and styles', async () => {
    const text = `<?xml version="1.0" encoding="utf-8"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="x"><stylesheet type="text/css">.body{color:red}</stylesheet><description><title-info><author><first-name>Лев</first-name><last-name>Толстой</last-name></author><book-title>Война и мир</book-title><annotation><p>О войне.</p></annotation><coverpage><image l:href="#cover.jpg"/></coverpage><lang>ru</lang><src-lang>fr</src-lang><sequence name="Том" number="2"/></title-info></description><body><title><p>Война</p><p>и мир</p></title><section id="s1"><title><p>Глава</p><p>первая</p></title><p>Начало<a l:href="#n1">[1]</a>.</p><poem><stanza><v>Строка</v></stanza></poem></section></body><body name="notes"><section id="n1"><p>Примечание.</p></section></body><binary id="cover.jpg">AAAA</binary></FictionBook>`
    expect(await readBytes(text, 'war.fb2')).toEqual({
      mediaType: 'application/xml',
      title: 'Война и мир',
      language: 'ru',
      blocks: [
        'list-item first-name: Лев',
        'list-item last-name: Толстой',
        'list-item book-title: Война и мир',
        'paragraph О войне.',
        'list-item lang: ru',
        'list-item src-lang: fr',
        'list-item sequence.name: Том',
        'list-item sequence.number: 2',
        'heading1 Война и мир',
        'heading2 Глава первая',
        'paragraph Начало[1].',
        'paragraph Строка',
        'paragraph Примечание.',
      ],
    })
  })
})
