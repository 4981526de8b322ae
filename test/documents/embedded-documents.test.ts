import { expect, test } from 'vitest'
import { readBytes, type Seen } from './read-bytes.ts'
import { officePackage, relationships, wordParagraph } from './write-office.ts'
import { compoundFile, packagedFile } from './write-ole.ts'

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
function slideAround(embedded: Readonly<Record<string, Buffer>>, type = 'package'): Buffer {
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
        Object.fromEntries(names.map((name, at) => [`rId${at + 1}`, [type, `../embeddings/${name}`] as const])),
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

test('files inside of OLE objects are read under their names, formulas are none, and old formats are named (issue 11, 1.4)', async () => {
  const long = `Notes of the harbour. ${'More of them. '.repeat(800)}End of the notes.`
  const objects = {
    'oleObject1.bin': compoundFile({ '\u0001Ole10Native': packagedFile('notes.txt', Buffer.from(long)) }),
    'oleObject2.bin': compoundFile({ Package: wordAround('Figures of June') }),
    'oleObject3.bin': compoundFile({ 'Equation Native': Buffer.from('x = 1') }),
    'oleObject4.bin': compoundFile({ Workbook: Buffer.alloc(5_000) }),
    'oleObject5.bin': Buffer.from('no compound file'),
  }
  const read = (await readBytes(slideAround(objects, 'oleObject'))) as Seen
  expect(read.blocks).toEqual([
    '1 slide1 Plan',
    '1 heading2 Embedded: notes.txt',
    `1 paragraph ${long}`,
    '1 heading2 Embedded: oleObject2.bin',
    '1 paragraph Figures of June',
  ])
  expect(read.attachmentsNotRead).toEqual(['oleObject4.bin'])
})

test('documents that a sheet shows as objects are read behind its rows (issue 11, 1.4)', async () => {
  const rows = '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>Berths</t></is></c></row></sheetData>'
  const workbook = officePackage(
    'xlsx',
    {
      'xl/workbook.xml':
        '<workbook xmlns:r="r"><sheets><sheet name="One" sheetId="1" r:id="rId1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': relationships({ rId1: ['worksheet', 'worksheets/sheet1.xml'] }),
      'xl/worksheets/sheet1.xml': `<worksheet>${rows}</worksheet>`,
      'xl/worksheets/_rels/sheet1.xml.rels': relationships({ rId1: ['oleObject', '../embeddings/oleObject1.bin'] }),
    },
    [
      {
        name: 'xl/embeddings/oleObject1.bin',
        content: compoundFile({
          '\u0001Ole10Native': packagedFile('plan.html', Buffer.from('<html><p>Plan of the quay</html>')),
        }),
      },
    ],
  )
  const read = (await readBytes(workbook)) as Seen
  expect(read.blocks.slice(-2)).toEqual(['1 heading2 Embedded: plan.html', '1 paragraph Plan of the quay'])
})
