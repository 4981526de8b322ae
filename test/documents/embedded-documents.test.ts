import { expect, test } from 'vitest'
import { readBytes, type Seen } from './read-bytes.ts'
import { officePackage, relationships, wordParagraph } from './write-office.ts'

const w = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'

/** A Word document that shows another file as an object. */
function wordAround(text: string, embedded?: readonly [name: string, bytes: Buffer]): Buffer {
  return officePackage(
    'docx',
    {
      'word/document.xml': `<w:document ${w}><w:body>${wordParagraph(text)}</w:body></w:document>`,
      ...(embedded === undefined
        ? {}
        : {
            'word/_rels/document.xml.rels': relationships({ rId1: ['package', `embeddings/${embedded[0]}`] }),
          }),
    },
    embedded === undefined ? [] : [{ name: `word/embeddings/${embedded[0]}`, content: embedded[1] }],
  )
}

/** A presentation of one slide that shows files as objects. */
function slideAround(embedded: Readonly<Record<string, Buffer>>): Buffer {
  const names = Object.keys(embedded)
  return officePackage(
    'pptx',
    {
      'ppt/presentation.xml':
        '<p:presentation xmlns:r="r"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>',
      'ppt/_rels/presentation.xml.rels': relationships({ rId1: ['slide', 'slides/slide1.xml'] }),
      'ppt/slides/slide1.xml':
        '<p:sld><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Plan</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>',
      'ppt/slides/_rels/slide1.xml.rels': relationships(
        Object.fromEntries(names.map((name, at) => [`rId${at + 1}`, ['package', `../embeddings/${name}`] as const])),
      ),
    },
    Object.entries(embedded).map(([name, content]) => ({ name: `ppt/embeddings/${name}`, content })),
  )
}

test('documents that a slide shows as objects are read once, one level deep, and others are named (issue 11, 1.4)', async () => {
  const inner = wordAround('Budget of the harbour', ['Deeper.docx', wordAround('too deep')])
  const read = (await readBytes(
    slideAround({ 'Doc1.docx': inner, 'Broken.docx': Buffer.from([0, 1, 2, 255]) }),
  )) as Seen
  expect(read.blocks).toEqual(['1 slide1 Plan', '1 heading2 Embedded: Doc1.docx', '1 paragraph Budget of the harbour'])
  expect(read.flags).toEqual({ 'attachments-not-read': 2 })
  expect(read.attachmentsNotRead).toEqual(['Deeper.docx', 'Broken.docx'])
})

test('a document that a Word document shows as an object is read behind its text (issue 11, 1.4)', async () => {
  const read = (await readBytes(wordAround('Report', ['Sheet.docx', wordAround('Figures of May')]))) as Seen
  expect(read.blocks).toEqual(['paragraph Report', 'heading2 Embedded: Sheet.docx', 'paragraph Figures of May'])
})
